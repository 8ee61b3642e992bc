import type { StreamName } from "#model";
import type { ActStore, NoteStore } from "#store";

/** Why a stream is held, and what ends it. */
export interface Held {
  /** `adoption`: its existing records are not known yet. `pause`: a person paused it. `change`: its mapping changes many records. */
  readonly kind: "adoption" | "pause" | "change";
  readonly reason: string;
  readonly remedy: string;
  /** False where it ends without a person. */
  readonly needsPerson: boolean;
  /** Whether the stream is not polled either. */
  readonly polls: boolean;
  /** When it ends without a person; absent where it does not. */
  readonly endsAt?: number;
}

/** What every hold may read. */
export type HoldStore = Pick<NoteStore, "note"> & { readonly acts: Pick<ActStore, "pauseOf"> };

/**
 * One thing that holds streams back. What holds a stream is kept in the store, so that the daemon and a command beside it say the
 * same, and so that it survives a restart.
 */
export interface Hold {
  /** Why the stream is held at this moment; undefined: this hold lets it through. */
  find(store: HoldStore, stream: StreamName, now: number): Promise<Held | undefined>;
}

import type { StreamName } from "#model";
import type { ActStore, IntakeStore, NoteStore } from "#store";

/** Why a stream is held, and what ends it. */
export interface Held {
  /**
   * `adoption`: existing records are not known yet. `pause`: a person paused the stream. `change`: the mapping changes many records.
   * `mass`: the ERP changed many records. `mail`: the first load would send mail.
   */
  readonly kind: "adoption" | "pause" | "change" | "mass" | "mail";
  readonly reason: string;
  readonly remedy: string;
  /** False if the hold ends without a person. */
  readonly needsPerson: boolean;
  /** svcsync is about to decide without a person. */
  readonly isCounting?: boolean;
  /** Only these records are held; the others of the stream are delivered. */
  readonly records?: number;
  /** Whether polls are held, too. */
  readonly polls: boolean;
  /** When the hold ends, if that time is fixed. */
  readonly endsAt?: number;
}

/** What every hold may read. */
export type HoldStore = Pick<NoteStore, "note"> &
  Pick<IntakeStore, "stream"> & { readonly acts: Pick<ActStore, "pauseOf"> };

/**
 * One kind of hold. Its state is in the store, so that the daemon and a command in another process say the same, and so that it
 * survives a restart.
 */
export interface Hold {
  /** Returns why the stream is held now; undefined if this hold lets it through. */
  find(store: HoldStore, stream: StreamName, now: number): Promise<Held | undefined>;
}

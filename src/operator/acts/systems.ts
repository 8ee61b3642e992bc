import type { ReturnStream, Stream } from "#mapping";
import type { Actor, StreamName } from "#model";
import type { Matcher } from "#pipeline";
import type { Service } from "#service";
import type { SourceStream } from "#sources";
import type { Store } from "#store";
import type { StreamPlan } from "../plan/stream-plan.ts";
import type { ChannelTest } from "../state/channel-tests.ts";

/** For acts that read and write the store alone. */
export interface StoreSystems {
  readonly store: Store;
  /** The streams of the sync file. */
  readonly streams: readonly Stream[];
  /** The streams that go back to the ERP. */
  readonly returns: readonly Pick<ReturnStream, "name" | "resource" | "of">[];
}

/** For acts that ask the ERP or the service. */
export interface ActSystems extends StoreSystems {
  readonly service: Service;
  readonly sources: { readonly streams: ReadonlyMap<StreamName, SourceStream> };
  readonly matcher: Pick<Matcher, "blindFields">;
}

/** For acts that take a running daemon. */
export interface DaemonSystems extends ActSystems {
  /** What the next run would write. */
  readonly planNow: (stream: StreamName) => Promise<StreamPlan>;
  /** Starts to compare the ERP's records with the service's. */
  readonly compareAdoption: () => Promise<void>;
  /** Sends a test message through every channel; empty where none is set up. */
  readonly testChannels: (by: Actor, signal: AbortSignal) => Promise<readonly ChannelTest[]>;
}

/** What an act may need. */
export interface Reach {
  readonly store: StoreSystems;
  readonly systems: ActSystems;
  readonly daemon: DaemonSystems;
}

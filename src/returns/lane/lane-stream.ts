import type { ReturnStream } from "#mapping";
import type { Clock } from "#model";
import type { Cluster, ReturnStore } from "#store";
import type { Logger } from "#telemetry";
import type { Consequence, Destination, ReturnMapper, ReturnReader } from "../contract.ts";

/** A stream of returns with everything that it needs. */
export interface LaneStream {
  readonly stream: Pick<ReturnStream, "name" | "kind" | "corrections" | "guard" | "everyMs" | "beginAt" | "answers">;
  readonly reader: ReturnReader;
  readonly mapper: ReturnMapper;
  readonly destination: Destination;
  readonly consequence: Consequence | undefined;
}

export interface LaneDeps {
  readonly store: { readonly returns: ReturnStore; readonly cluster: Pick<Cluster, "mayWrite"> };
  readonly clock: Clock;
  readonly logger: Logger;
}

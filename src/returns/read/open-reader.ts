import { StopError } from "#model";
import type { ReturnStream } from "#mapping";
import type { Service } from "#service";
import type { Store } from "#store";
import type { ReturnReader } from "../contract.ts";
import { RecordReader, type KnownReturns } from "./record-reader.ts";
import { StateReader } from "./state-reader.ts";
import { statusNews } from "./status-news.ts";

export interface ReaderDeps {
  readonly service: Pick<Service, "backward" | "now">;
  readonly store: Pick<Store, "boundTo" | "record" | "standings"> & { readonly returns: KnownReturns };
}

/** The reader of a stream. */
export function openReader({ service, store }: ReaderDeps, stream: ReturnStream): ReturnReader {
  const { resource, of } = stream;
  if (of !== undefined) return new StateReader({ store, now: () => service.now() }, of);
  if (resource === undefined) throw new StopError("E_INTERNAL", `the stream ${stream.name} names nothing to read`);
  const deps = { service, returns: store.returns };
  if (stream.kind === "reports") return new RecordReader(deps, stream, resource);
  return new RecordReader({ ...deps, isNews: statusNews({ store }, stream, resource) }, stream, resource);
}

import { ParkError } from "#model";
import type { ReturnStream } from "#mapping";
import type { Service } from "#service";
import type { Store } from "#store";
import type { ReturnReader } from "../contract.ts";
import { RecordReader, type KnownReturns } from "./record-reader.ts";
import { statusNews } from "./status-news.ts";

export interface ReaderDeps {
  readonly service: Pick<Service, "backward" | "now">;
  readonly store: Pick<Store, "boundTo" | "record"> & { readonly returns: KnownReturns };
}

/** The reader of a stream. */
export function openReader({ service, store }: ReaderDeps, stream: ReturnStream): ReturnReader {
  const { resource } = stream;
  if (resource === undefined) throw new ParkError("E_INTERNAL", `${stream.name} reads nothing`);
  const deps = { service, returns: store.returns };
  if (stream.kind === "reports") return new RecordReader(deps, stream, resource);
  return new RecordReader({ ...deps, isNews: statusNews({ store }, stream, resource) }, stream, resource);
}

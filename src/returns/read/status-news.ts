import type { JsonObject, ResourceName } from "#model";
import type { ReturnStream } from "#mapping";
import { sameValue, serviceIdOf } from "#service";
import type { RecordStore } from "#store";
import type { KnownReturns } from "./record-reader.ts";

export interface StatusNewsDeps {
  readonly store: Pick<RecordStore, "boundTo" | "record"> & { readonly returns: KnownReturns };
}

/**
 * Tells which records of the service have a status that the ERP may not know: those that the ERP knows by a key, and whose fields are not just what
 * svcsync itself wrote there last. Once the ERP was told a status of a record, all of its changes are told, in their order.
 */
export function statusNews(
  { store }: StatusNewsDeps,
  { name, reads }: Pick<ReturnStream, "name" | "reads">,
  resource: ResourceName,
): (row: JsonObject) => Promise<boolean> {
  return async (row) => {
    const serviceId = serviceIdOf(row);
    const owner = serviceId && (await store.boundTo({ resource, serviceId }));
    if (!owner) return false;
    const applied = (await store.record(owner))?.applied ?? {};
    const written = reads.filter((field) => field !== "id" && field in applied);
    if (written.length === 0 || written.some((field) => !sameValue(applied[field], row[field]))) return true;
    return (await store.returns.latest(name, [String(serviceId)])).has(String(serviceId));
  };
}

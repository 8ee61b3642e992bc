import { recordName, type Projection, type Row, type ServiceId } from "#model";
import type { Stream } from "#mapping";
import { Resolver, type KnownParents } from "../wanted/resolver.ts";
import type { Service } from "#service";

/** What a delivery makes of a row before it compares or sends. */
export type AsDelivered =
  | { readonly kind: "record"; readonly fields: Projection }
  | { readonly kind: "skip"; readonly reason: string }
  | { readonly kind: "deleted"; readonly policy: "ignore" | "delete" }
  | { readonly kind: "deleted"; readonly policy: "set"; readonly fields: Projection };

/** What the caller knows in place of the service and the store. */
export interface PlannedNames extends Pick<Service, "lookup"> {
  /** The parent's service id; null if the parent will not arrive; undefined if it is not there yet. */
  idOf(stream: string, key: string): ServiceId | null | undefined;
}

/**
 * Maps a row and resolves its references, exactly as a delivery does.
 * @throws {ParkError} when the row cannot be mapped, or as `lookup` does.
 * @throws {WaitError} E_PARENT_MISSING when a parent is not there yet.
 */
export async function mapAsDelivered(
  stream: Stream,
  { row, deleted }: { readonly row: Row; readonly deleted: boolean },
  known: PlannedNames,
  signal: AbortSignal,
): Promise<AsDelivered> {
  const mapped = await stream.map(row, deleted);
  if (!("fields" in mapped)) return mapped;
  const resolver = new Resolver(parentsOf(known), known);
  const { projection } = await resolver.resolve({ stream: stream.name, key: "" }, mapped.fields, signal);
  return { ...mapped, fields: projection };
}

function parentsOf({ idOf }: Pick<PlannedNames, "idOf">): KnownParents {
  return {
    bindings(ids) {
      const bound = ids.flatMap((id) => {
        const serviceId = idOf(id.stream, id.key);
        return typeof serviceId === "number" ? [[recordName(id), { serviceId }] as const] : [];
      });
      return Promise.resolve(new Map(bound));
    },
    record: ({ stream, key }) => Promise.resolve(idOf(stream, key) === null ? { state: "skipped" } : undefined),
  };
}

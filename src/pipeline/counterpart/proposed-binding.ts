import { SyncError, type Projection, type RecordId, type Row, type ServiceId } from "#model";
import type { MappedField, Stream } from "#mapping";
import type { Service } from "#service";
import type { RecordStore } from "#store";
import { Presence } from "./presence.ts";
import { Resolver } from "../wanted/resolver.ts";
import { overwritten, shownAs, shownFields, type Counterpart, type Overwrite, type Shown } from "../match/shown.ts";

/** An ERP record beside the service record that a person says it is. */
export interface ProposedBinding {
  readonly ours: Shown;
  /** Undefined when the service does not have the record. */
  readonly theirs: Counterpart | undefined;
  /** What the first write would change. Also empty while the record cannot be mapped or waits for a parent. */
  readonly overwrites: readonly Overwrite[];
}

/**
 * Shows both sides of a binding before it is made.
 * @throws {WaitError} E_SERVICE_DOUBTED when the service says that the record does not exist and cannot be believed now.
 */
export async function proposeBinding(
  { store, service }: { readonly store: RecordStore; readonly service: Pick<Service, "lookup" | "read" | "vouch"> },
  stream: Stream,
  record: { readonly id: RecordId; readonly row: Row; readonly deleted: boolean },
  serviceId: ServiceId,
  signal: AbortSignal,
): Promise<ProposedBinding> {
  const fields = await mappedFields(stream, record.row, record.deleted);
  const resolver = new Resolver(store, service);
  const wanted = await resolver.resolve(record.id, fields, signal).catch(notNow);
  const ours = wanted?.projection ?? plainValues(fields);
  const found = await new Presence(store, service).read(stream.resource, serviceId, shownFields(stream), signal, ours);
  return {
    ours: shownAs(stream, ours),
    theirs: found && { serviceId, ...shownAs(stream, found) },
    overwrites: wanted && found ? overwritten(wanted, found) : [],
  };
}

/** A row that cannot be mapped can still be bound, only without a name to show. */
async function mappedFields(stream: Stream, row: Row, deleted: boolean): Promise<readonly MappedField[]> {
  try {
    const mapped = await stream.map(row, deleted);
    return mapped.kind === "record" ? mapped.fields : await stream.identify(row);
  } catch (thrown) {
    return notNow(thrown) ?? [];
  }
}

/** Ignores errors that prevent a delivery: a person can still resolve the record. */
function notNow(thrown: unknown): undefined {
  if (thrown instanceof SyncError && (thrown.family === "park" || thrown.code === "E_PARENT_MISSING")) return undefined;
  throw thrown;
}

function plainValues(fields: readonly MappedField[]): Projection {
  return Object.fromEntries(fields.flatMap(({ name, value }) => (value.kind === "value" ? [[name, value.value]] : [])));
}

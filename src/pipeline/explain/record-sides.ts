import { errorFacts, recordName, SyncError, type ErrorFacts, type Json, type RecordId } from "#model";
import type { MappedField, Stream } from "#mapping";
import { sameValue, type Service } from "#service";
import { editedAsSeen } from "../wanted/filled.ts";
import { forgottenError, isForgotten, type RecordStore, type RecordView } from "#store";

/** One field on its way from the ERP to the service. */
export interface FieldSides {
  readonly field: string;
  /** What the mapping makes of the row now; undefined if it does not set the field. */
  readonly mapped: Json | undefined;
  /** What was last written. */
  readonly written: Json | undefined;
  /** What the service holds now; undefined if it was not read. */
  readonly found: Json | undefined;
  /** Whether the mapping now yields another value than was written. The next delivery then writes it. */
  readonly isPending: boolean;
  /** Whether the service holds another value than was written. */
  readonly isChanged: boolean;
}

/** Three versions of a record: what the mapping makes of it, what was written, and what the service holds now. */
export interface RecordSides {
  readonly fields: readonly FieldSides[];
  /** What the mapping does instead of setting fields, or besides: it leaves the row out, or deletes its record. */
  readonly verdict: string | undefined;
  /** Why the row cannot be mapped, or why the service could not be read. */
  readonly error: ErrorFacts | undefined;
  /** `gone` means that the service does not show the record. `failed` means that reading it failed, see `error`. */
  readonly service: "notAsked" | "there" | "gone" | "failed";
}

interface SidesDeps {
  readonly store: Pick<RecordStore, "bindings">;
  readonly service: Pick<Service, "read">;
}

/**
 * Compares the versions of a record. Maps the row without a request: names that only the service can turn into ids stay names and
 * are not compared. With `ask`, reads the record from the service, which takes one GET.
 */
export async function recordSides(
  { store, service }: SidesDeps,
  stream: Pick<Stream, "map" | "resource" | "ownedFields">,
  record: Pick<RecordView, "row" | "deleted" | "applied" | "binding" | "unreadable"> &
    Partial<Pick<RecordView, "inFlight">>,
  { ask, signal }: { readonly ask: boolean; readonly signal: AbortSignal },
): Promise<RecordSides> {
  const mapped = await mappedNow(store, stream, record);
  const read = ask ? await readNow(service, stream, record, signal) : undefined;
  const written = record.applied ?? {};
  const pending = pendingOf(mapped.values, record);
  const names = [...new Set([...mapped.values.keys(), ...Object.keys(written)])].toSorted();
  return {
    fields: names.map((field) => {
      const value = mapped.values.get(field);
      const found = read?.found?.[field];
      return {
        field,
        mapped: value?.value,
        written: written[field],
        found,
        isPending: pending.has(field),
        isChanged: isOurs(value) && read?.found !== undefined && field in written && !sameValue(written[field], found),
      };
    }),
    verdict: mapped.verdict,
    error: mapped.error ?? read?.error,
    service: read === undefined ? "notAsked" : read.error !== undefined ? "failed" : read.found ? "there" : "gone",
  };
}

/** The fields that the next delivery writes, by the rule of deliveries, as far as is known without a look at the service. */
function pendingOf(
  values: MappedNow["values"],
  { applied, inFlight }: Pick<RecordView, "applied"> & Partial<Pick<RecordView, "inFlight">>,
): ReadonlySet<string> {
  const known = [...values].filter(([, { isName }]) => !isName);
  const owned = (own: MappedField["own"]) =>
    new Set(known.flatMap(([name, value]) => (value.own === own ? [name] : [])));
  if (applied === undefined) return new Set();
  const { change } = editedAsSeen(applied, inFlight?.fields, {
    projection: Object.fromEntries(known.map(([name, { value }]) => [name, value])),
    createOnly: owned("create"),
    emptyOnly: owned("empty"),
    shared: new Set(),
  });
  return new Set(Object.keys(change?.after ?? {}));
}

/** Whether the field is kept in sync: otherwise another value in the service is no change of ours. */
function isOurs(value: Resolved | undefined): boolean {
  return value === undefined || value.own === "always";
}

interface MappedNow {
  readonly values: ReadonlyMap<string, Resolved>;
  readonly verdict?: string;
  readonly error?: ErrorFacts;
}

/** A mapped value, resolved as far as possible without the service. */
interface Resolved {
  readonly value: Json;
  readonly isName: boolean;
  readonly own: MappedField["own"];
}

async function mappedNow(
  store: SidesDeps["store"],
  stream: Pick<Stream, "map">,
  record: Pick<RecordView, "row" | "deleted" | "unreadable">,
): Promise<MappedNow> {
  const { row, deleted, unreadable } = record;
  if (isForgotten(record)) return { values: new Map(), verdict: forgottenError.message };
  try {
    const mapped = await stream.map(row, deleted);
    if (mapped.kind === "skip") return { values: new Map(), verdict: `left out: ${mapped.reason}` };
    if (mapped.kind === "deleted" && mapped.policy !== "set")
      return { values: new Map(), verdict: deletionVerdicts[mapped.policy] };
    const values = new Map<string, Resolved>();
    for (const field of mapped.fields) values.set(field.name, { ...(await resolved(store, field)), own: field.own });
    return { values, ...(mapped.kind === "deleted" ? { verdict: deletionVerdicts.set } : {}) };
  } catch (thrown) {
    if (!(thrown instanceof SyncError)) throw thrown;
    // A row that was never readable is stored empty, so the mapping only complains about missing columns.
    return { values: new Map(), error: unreadable ?? errorFacts(thrown) };
  }
}

const deletionVerdicts = {
  ignore: "deleted in the ERP; the sync file keeps the record in the service",
  delete: "deleted in the ERP, and to be deleted in the service",
  set: "deleted in the ERP; the sync file sets these fields alone",
} as const;

async function resolved(store: SidesDeps["store"], { value }: MappedField): Promise<Omit<Resolved, "own">> {
  switch (value.kind) {
    case "value":
      return { value: value.value, isName: false };
    case "ref": {
      if (value.key === null) return { value: null, isName: false };
      const id: RecordId = { stream: value.stream, key: value.key };
      const binding = (await store.bindings([id])).get(recordName(id));
      return binding
        ? { value: binding.serviceId, isName: false }
        : { value: `${id.stream}/${id.key}, not in the service yet`, isName: true };
    }
    case "lookup":
      return value.value === null
        ? { value: null, isName: false }
        : { value: `${value.resource} with ${value.by} ${JSON.stringify(value.value)}`, isName: true };
    case "tags":
      return { value: [...value.values], isName: true };
  }
}

async function readNow(
  service: SidesDeps["service"],
  { resource, ownedFields }: Pick<Stream, "resource" | "ownedFields">,
  { binding, applied }: Pick<RecordView, "binding" | "applied">,
  signal: AbortSignal,
): Promise<{ readonly found?: Readonly<Record<string, Json | undefined>> | undefined; readonly error?: ErrorFacts }> {
  if (binding === undefined) return {};
  try {
    return { found: await service.read(resource, binding.serviceId, ["id", ...ownedFields], signal, applied) };
  } catch (thrown) {
    return { error: errorFacts(thrown) };
  }
}

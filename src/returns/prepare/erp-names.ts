import {
  isJsonObject,
  MINUTE_MS,
  ParkError,
  recordLabel,
  WaitError,
  type Clock,
  type Json,
  type JsonObject,
  type RecordId,
  type ResourceName,
  type ReturnValue,
  type ServiceId,
  type StreamName,
} from "#model";
import type { MappedReturnValue } from "#mapping";
import type { RecordStore } from "#store";

/** Reads one record of the service; undefined when it does not exist. */
export type ReadRecord = (
  resource: ResourceName,
  id: ServiceId,
  fields: readonly string[],
  signal: AbortSignal,
) => Promise<JsonObject | undefined>;

/** Reads several records of the service at once; those that it cannot show so are absent. */
type ReadSeveral = (
  resource: ResourceName,
  ids: readonly ServiceId[],
  fields: readonly string[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<ServiceId, JsonObject>>;

export interface ErpNamesDeps {
  readonly store: Pick<RecordStore, "boundTo"> & {
    records(...query: Parameters<RecordStore["records"]>): Promise<readonly { readonly id: RecordId }[]>;
  };
  readonly read: ReadRecord;
  /** Absent: records are read one by one. */
  readonly several?: ReadSeveral;
  readonly clock: Clock;
  /** The resource of each stream of the forward lane. */
  readonly resources: ReadonlyMap<StreamName, ResourceName>;
}

/** Where a value is wanted, for messages: `reports.time.staff_no`. */
interface Wanted {
  readonly stream: string;
  readonly field: string;
}

type Link = Exclude<MappedReturnValue, { readonly kind: "value" }>;

/** A name that was found stays valid for so long: a report has many lines of the same worker. */
const KEPT_MS = 5 * MINUTE_MS;
const MOST_KEPT = 20_000;

/** Finds what the ERP calls the records that a return names by their ids in the service. Nothing is guessed. */
export class ErpNames {
  readonly #deps: ErpNamesDeps;
  readonly #kept = new Map<string, { readonly value: Promise<ReturnValue>; readonly at: number }>();

  constructor(deps: ErpNamesDeps) {
    this.#deps = deps;
  }

  /**
   * The value of a column; null where the record names nothing.
   * @throws {ParkError} E_RETURN_KEY when the ERP's key or number is unknown. {@link WaitError} E_RETURN_WAITS when it is about to be known.
   */
  async of(value: MappedReturnValue, wanted: Wanted, signal: AbortSignal): Promise<ReturnValue> {
    if (value.kind === "value") return value.value;
    if (value.id === null) return null;
    return value.kind === "keyOf"
      ? this.#keyOf(value, value.id, wanted, signal)
      : this.#nameOf(value, value.id, wanted, signal);
  }

  /** Reads what these values name in few requests. What it does not find is read by {@link of}, which says why. */
  async prepare(values: readonly MappedReturnValue[], signal: AbortSignal): Promise<void> {
    const { several, clock } = this.#deps;
    if (several === undefined) return;
    const wanted = new Map<ResourceName, { readonly ids: Set<ServiceId>; readonly fields: Set<string> }>();
    for (const value of values) {
      if (value.kind !== "nameOf" || value.id === null || this.#known(nameOf(value, value.id)) !== undefined) continue;
      const { ids, fields } = wanted.get(value.resource) ?? { ids: new Set(), fields: new Set() };
      wanted.set(value.resource, { ids: ids.add(value.id), fields: fields.add(value.by) });
    }
    for (const [resource, { ids, fields }] of wanted) {
      if (ids.size < 2) continue;
      const found = await several(resource, [...ids], [...fields], signal);
      for (const [id, record] of found)
        for (const by of fields) {
          const value = shownName(member(record, by));
          if (value !== undefined) this.#keep(nameOf({ resource, by }, id), Promise.resolve(value), clock.now());
        }
    }
  }

  #known(name: string): Promise<ReturnValue> | undefined {
    const kept = this.#kept.get(name);
    // A clock that was ahead for a moment must not keep it for longer.
    return kept !== undefined && Math.abs(this.#deps.clock.now() - kept.at) < KEPT_MS ? kept.value : undefined;
  }

  #keep(name: string, value: Promise<ReturnValue>, at: number): void {
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(name, { value, at });
  }

  async #keyOf(
    { stream }: Link & { readonly kind: "keyOf" },
    serviceId: ServiceId,
    wanted: Wanted,
    signal: AbortSignal,
  ): Promise<ReturnValue> {
    const { store, resources } = this.#deps;
    const resource = resources.get(stream) ?? stream;
    const owner = await store.boundTo({ resource, serviceId });
    if (owner?.stream === stream) return owner.key;
    if (owner !== undefined)
      throw await this.#unknown(
        { resource, serviceId },
        wanted,
        `it belongs to ${recordLabel(owner)}, not to ${stream}`,
        signal,
      );
    const [open] = await store.records({ stream, states: ["uncertain", "claimed", "due"], unbound: true, limit: 1 });
    if (open !== undefined)
      throw new WaitError(
        "E_RETURN_WAITS",
        `${wanted.stream}.${wanted.field}: no record of ${stream} is bound to ${resource} ${serviceId} yet; ${recordLabel(open.id)} is being delivered and may be it`,
        { afterMs: MINUTE_MS, details: { ...wanted, resource, serviceId } },
      );
    throw await this.#unknown({ resource, serviceId }, wanted, `no record of ${stream} is bound to it`, signal);
  }

  async #nameOf(
    { resource, by }: Link & { readonly kind: "nameOf" },
    serviceId: ServiceId,
    wanted: Wanted,
    signal: AbortSignal,
  ): Promise<ReturnValue> {
    const name = nameOf({ resource, by }, serviceId);
    const kept = this.#known(name);
    if (kept !== undefined) return kept;
    const value = this.#readName(resource, by, serviceId, wanted, signal);
    this.#keep(name, value, this.#deps.clock.now());
    try {
      return await value;
    } catch (thrown) {
      // Someone may enter the number in the next minute.
      if (this.#kept.get(name)?.value === value) this.#kept.delete(name);
      throw thrown;
    }
  }

  async #readName(
    resource: ResourceName,
    by: string,
    serviceId: ServiceId,
    wanted: Wanted,
    signal: AbortSignal,
  ): Promise<ReturnValue> {
    const record = await this.#deps.read(resource, serviceId, [by], signal);
    const value = record && shownName(member(record, by));
    if (value !== undefined) return value;
    const why = record === undefined ? "the service does not have it" : `it has no ${by}`;
    throw await this.#unknown({ resource, serviceId }, wanted, why, signal);
  }

  /** The error names the record as people know it, where the service shows a name. */
  async #unknown(
    { resource, serviceId }: { readonly resource: ResourceName; readonly serviceId: ServiceId },
    { stream, field }: Wanted,
    why: string,
    signal: AbortSignal,
  ): Promise<ParkError> {
    const name = await this.#shownName(resource, serviceId, signal);
    const shown = name === undefined ? "" : ` (${name})`;
    return new ParkError("E_RETURN_KEY", `${stream}.${field}: ${resource} ${serviceId}${shown}: ${why}`, {
      details: { stream, field, resource, serviceId, ...(name !== undefined && { name }) },
    });
  }

  async #shownName(resource: ResourceName, serviceId: ServiceId, signal: AbortSignal): Promise<string | undefined> {
    try {
      const name = (await this.#deps.read(resource, serviceId, ["name"], signal))?.["name"];
      return typeof name === "string" && name !== "" ? name : undefined;
    } catch {
      return undefined;
    }
  }
}

function nameOf({ resource, by }: { readonly resource: ResourceName; readonly by: string }, id: ServiceId): string {
  return `${resource}/${by}/${id}`;
}

/** A name as the ERP gets it; undefined for none. */
function shownName(value: Json | undefined): ReturnValue | undefined {
  if (typeof value === "number" || typeof value === "boolean") return value;
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The member at a path: a custom field comes under its whole name. */
function member(record: JsonObject, path: string): Json | undefined {
  if (path in record) return record[path];
  return path.split(".").reduce<Json | undefined>((at, name) => (isJsonObject(at) ? at[name] : undefined), record);
}

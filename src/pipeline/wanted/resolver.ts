import {
  recordLabel,
  recordName,
  WaitError,
  type Binding,
  type Json,
  type Projection,
  type RecordId,
  type ServiceId,
} from "#model";
import type { MappedField } from "#mapping";
import type { Service } from "#service";
import type { Parents, RecordStore, RecordView } from "#store";

/** A record as it should be in the service, with every reference and every name replaced by an id. */
export interface Wanted {
  readonly projection: Projection;
  /** Fields that are written at creation only. */
  readonly createOnly: ReadonlySet<string>;
  /** Fields that are written only while the service has no value there. */
  readonly emptyOnly: ReadonlySet<string>;
  /** Array fields in which only our own ids are added and removed. */
  readonly shared: ReadonlySet<string>;
  /** Fields that say which other record of the ERP this one belongs to. */
  readonly references: ReadonlySet<string>;
  /** Records whose service ids the projection contains, or would contain if they arrived later. */
  readonly parents: Parents;
}

/** A parent's service id if it is bound, and the one that its record was merged into. */
type Bound = Partial<Pick<Binding, "serviceId">> & { readonly mergedTo?: ServiceId };

/** What the resolver reads about parents. The store satisfies it. */
export interface KnownParents {
  bindings(...of: Parameters<RecordStore["bindings"]>): Promise<ReadonlyMap<string, Bound>>;
  record(id: RecordId): Promise<Pick<RecordView, "state"> | undefined>;
}

/**
 * Turns mapped fields into the projection that is sent.
 * @throws {WaitError} E_PARENT_MISSING when a parent is not bound yet; `missing` are the parents to wait for.
 * @throws {ParkError} E_LOOKUP_… when the service does not know a name.
 */
export class Resolver {
  readonly #store: KnownParents;
  readonly #service: Pick<Service, "lookup">;

  constructor(store: KnownParents, service: Pick<Service, "lookup">) {
    this.#store = store;
    this.#service = service;
  }

  /**
   * Resolves all fields. A record that is its own parent does not wait: it is written without the parent, and its binding makes it
   * due again.
   */
  async resolve(self: RecordId, fields: readonly MappedField[], signal: AbortSignal): Promise<Wanted> {
    const references = referencesIn(fields);
    const ids = references.map(({ id }) => id);
    const bindings = ids.length > 0 ? await this.#store.bindings(ids) : new Map<string, Bound>();
    const missing: RecordId[] = [];
    const optional: RecordId[] = [];
    for (const { id, isOptional } of references) {
      const name = recordName(id);
      if (bindings.has(name) || name === recordName(self) || (isOptional && (await this.#willNotCome(id)))) continue;
      missing.push(id);
      if (isOptional) optional.push(id);
    }
    if (missing.length > 0) throw new ParentMissing(missing, optional);

    const parents = ids.map((id) => ({ ...id, serviceId: bindings.get(recordName(id))?.serviceId ?? null }));
    const projection: Record<string, Json> = {};
    const createOnly = new Set<string>();
    const emptyOnly = new Set<string>();
    const shared = new Set<string>();
    for (const field of fields) {
      projection[field.name] = await this.#value(field, bindings, signal);
      if (field.own === "create") createOnly.add(field.name);
      if (field.own === "empty") emptyOnly.add(field.name);
      if (field.value.kind === "tags") shared.add(field.name);
    }
    const linked = new Set(fields.flatMap(({ name, value }) => (value.kind === "ref" ? [name] : [])));
    return { projection, createOnly, emptyOnly, shared, references: linked, parents };
  }

  /** Whether an optional parent will not arrive: the ERP deleted it, or its stream's rules leave it out. */
  async #willNotCome(id: RecordId): Promise<boolean> {
    const state = (await this.#store.record(id))?.state;
    return state === "deleted" || state === "skipped";
  }

  async #value({ value }: MappedField, bindings: ReadonlyMap<string, Bound>, signal: AbortSignal): Promise<Json> {
    switch (value.kind) {
      case "value":
        return value.value;
      case "ref": {
        const parent = value.key === null ? undefined : recordName({ stream: value.stream, key: value.key });
        const bound = parent === undefined ? undefined : bindings.get(parent);
        return bound?.mergedTo ?? bound?.serviceId ?? null;
      }
      case "lookup":
        return value.value === null ? null : this.#service.lookup(value.resource, value.by, value.value, signal);
      case "tags": {
        const ids: ServiceId[] = [];
        for (const name of value.values) ids.push(await this.#service.lookup(value.resource, value.by, name, signal));
        return [...new Set(ids)].toSorted((a, b) => a - b);
      }
    }
  }
}

/** The records that mapped fields refer to. */
export function referencesIn(
  fields: readonly MappedField[],
): { readonly id: RecordId; readonly isOptional: boolean }[] {
  return fields.flatMap(({ value }) =>
    value.kind === "ref" && value.key !== null
      ? [{ id: { stream: value.stream, key: value.key }, isOptional: value.optional ?? false }]
      : [],
  );
}

/** The error of a record that waits for its parents. It counts no attempt, and the parent's binding wakes the record. */
export class ParentMissing extends WaitError {
  readonly missing: readonly RecordId[];
  /** Missing parents that the record can be delivered without if they never arrive. */
  readonly optional: readonly RecordId[];

  constructor(missing: readonly RecordId[], optional: readonly RecordId[]) {
    const labels = missing.map(recordLabel);
    super("E_PARENT_MISSING", `waits for ${labels.join(", ")}, which the service does not have yet`, {
      details: { parents: labels },
    });
    this.missing = missing;
    this.optional = optional;
  }
}

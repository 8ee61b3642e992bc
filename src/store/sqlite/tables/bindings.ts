import type { Database } from "better-sqlite3";
import { recordName, type Binding, type RecordId } from "#model";
import { alreadyBound, expectServiceId } from "../../refusals.ts";

interface BindingRow {
  readonly resource: string;
  readonly service_id: number;
}

/** Which record is bound to which service id; unique both ways. */
export class Bindings {
  readonly #ofRecord;
  readonly #ofId;
  readonly #owner;
  readonly #save;
  readonly #end;

  constructor(db: Database) {
    this.#ofRecord = db.prepare<[number], BindingRow>("SELECT resource, service_id FROM bindings WHERE record = ?");
    this.#ofId = db.prepare<[string, string], BindingRow>(`
      SELECT b.resource, b.service_id FROM records r JOIN bindings b ON b.record = r.id WHERE r.stream = +? AND r.key = +?`);
    this.#owner = db.prepare<[string, number], RecordId & { id: number }>(`
      SELECT r.id, r.stream, r.key FROM bindings b JOIN records r ON r.id = b.record
      WHERE b.resource = +? AND b.service_id = +?`);
    this.#save = db.prepare<[number, string, number]>(`
      INSERT INTO bindings (record, resource, service_id) VALUES (?, ?, ?)
      ON CONFLICT (record) DO UPDATE SET resource = excluded.resource, service_id = excluded.service_id`);
    this.#end = db.prepare<[number]>("DELETE FROM bindings WHERE record = ?");
  }

  of(record: number): Binding | undefined {
    return asBinding(this.#ofRecord.get(record));
  }

  /** Bindings by {@link recordName}; unbound records are absent. */
  ofAll(ids: readonly RecordId[]): ReadonlyMap<string, Binding> {
    const found = new Map<string, Binding>();
    for (const id of ids) {
      const binding = asBinding(this.#ofId.get(id.stream, id.key));
      if (binding !== undefined) found.set(recordName(id), binding);
    }
    return found;
  }

  owner({ resource, serviceId }: Binding): RecordId | undefined {
    const owner = this.#owner.get(resource, serviceId);
    return owner && { stream: owner.stream, key: owner.key };
  }

  /**
   * Binds the record and replaces its old binding.
   * @returns whether its children may carry another service id than this one.
   * @throws {ParkError} E_ALREADY_BOUND when another record of the ERP has this id, E_STORE_VALUE when it cannot be a service id.
   */
  save(record: number, id: RecordId, binding: Binding): boolean {
    const { resource, serviceId } = binding;
    expectServiceId(id, binding);
    const owner = this.#owner.get(resource, serviceId);
    if (owner !== undefined && owner.id !== record) throw alreadyBound(id, binding, owner);
    if (owner !== undefined) return false;
    this.#save.run(record, resource, serviceId);
    return true;
  }

  end(record: number): void {
    this.#end.run(record);
  }
}

function asBinding(row: BindingRow | undefined): Binding | undefined {
  return row && { resource: row.resource, serviceId: row.service_id };
}

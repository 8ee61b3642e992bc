import type { Database } from "better-sqlite3";
import { recordName, type Binding, type RecordId } from "#model";

interface BindingRow {
  readonly resource: string;
  readonly service_id: number;
}

/** Which record is bound to which service id; unique both ways. */
export class Bindings {
  readonly #ofId;
  readonly #owner;

  constructor(db: Database) {
    this.#ofId = db.prepare<[string, string], BindingRow>(`
      SELECT b.resource, b.service_id FROM records r JOIN bindings b ON b.record = r.id WHERE r.stream = +? AND r.key = +?`);
    this.#owner = db.prepare<[string, number], RecordId & { id: number }>(`
      SELECT r.id, r.stream, r.key FROM bindings b JOIN records r ON r.id = b.record
      WHERE b.resource = +? AND b.service_id = +?`);
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
}

function asBinding(row: BindingRow | undefined): Binding | undefined {
  return row && { resource: row.resource, serviceId: row.service_id };
}

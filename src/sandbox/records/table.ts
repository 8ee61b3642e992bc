import type { Json } from "#model";
import type { Version } from "./version.ts";

/** A record in a table; `version` is its newest state. */
export interface StoredRow {
  readonly id: number;
  version: Version;
}

type FieldIndex = Map<Json, Set<number>>;

const indexed = (value: Json | undefined): value is string | number =>
  typeof value === "string" || typeof value === "number";

/** The records of one resource. Reading in id order and finding by a field's value are cheap. */
export class RecordTable {
  #rows = new Map<number, StoredRow>();
  #gone = new Map<number, StoredRow>();
  #ordered: StoredRow[] = [];
  #disordered = false;
  #indexes = new Map<string, FieldIndex>();

  get size(): number {
    return this.#rows.size;
  }

  get(id: number): StoredRow | undefined {
    return this.#rows.get(id);
  }

  /** The newest state of a record, even if it is gone. */
  last(id: number): Version | undefined {
    return (this.#rows.get(id) ?? this.#gone.get(id))?.version;
  }

  put(version: Version): void {
    const row = this.#rows.get(version.id);
    if (row === undefined) {
      const created = { id: version.id, version };
      this.#gone.delete(version.id);
      this.#rows.set(version.id, created);
      const last = this.#ordered.at(-1);
      if (last !== undefined && last.id > version.id) this.#disordered = true;
      this.#ordered.push(created);
    } else {
      this.#unindex(row);
      row.version = version;
    }
    for (const [field, index] of this.#indexes) enter(index, version.record?.[field], version.id);
  }

  remove(version: Version): void {
    const row = this.#rows.get(version.id);
    if (row === undefined) return;
    this.#unindex(row);
    row.version = version;
    this.#rows.delete(version.id);
    this.#gone.set(version.id, row);
    this.#disordered = true;
  }

  /** Rows by ascending id. Do not keep the array across writes, and do not change it. */
  rows(): readonly StoredRow[] {
    if (this.#disordered) {
      this.#ordered = [...this.#rows.values()].toSorted((a, b) => a.id - b.id);
      this.#disordered = false;
    }
    return this.#ordered;
  }

  /** Rows by ascending id whose field equals this text or number. The first call for a field scans the table once. */
  find(field: string, value: string | number): StoredRow[] {
    const ids = this.#index(field).get(value);
    if (ids === undefined) return [];
    return [...ids].toSorted((a, b) => a - b).map((id) => this.#rows.get(id)!);
  }

  #index(field: string): FieldIndex {
    const known = this.#indexes.get(field);
    if (known !== undefined) return known;
    const index: FieldIndex = new Map();
    for (const row of this.#rows.values()) enter(index, row.version.record?.[field], row.id);
    this.#indexes.set(field, index);
    return index;
  }

  #unindex(row: StoredRow): void {
    for (const [field, index] of this.#indexes) {
      const value = row.version.record?.[field];
      if (!indexed(value)) continue;
      const ids = index.get(value);
      ids?.delete(row.id);
      if (ids?.size === 0) index.delete(value);
    }
  }
}

function enter(index: FieldIndex, value: Json | undefined, id: number): void {
  if (!indexed(value)) return;
  const ids = index.get(value);
  if (ids === undefined) index.set(value, new Set([id]));
  else ids.add(id);
}

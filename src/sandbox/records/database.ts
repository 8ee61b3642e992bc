import type { Clock, ResourceName } from "#model";
import { RecordTable } from "./table.ts";
import type { StoredRecord, Version, WriteOrigin } from "./version.ts";

/** Called for every write, in order. */
export type WriteListener = (version: Version) => void;

/**
 * All records of the tenant in memory, and the complete log of writes. Ids are unique across resources, so that a client
 * that mixes up two kinds of records is detected.
 */
export class RecordDatabase {
  readonly #clock: Clock;
  #tables = new Map<ResourceName, RecordTable>();
  #log: Version[] = [];
  #lastId = 0;
  #listeners: WriteListener[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Every write since the start, oldest first. */
  get log(): readonly Version[] {
    return this.#log;
  }

  onWrite(listener: WriteListener): void {
    this.#listeners.push(listener);
  }

  table(resource: ResourceName): RecordTable {
    const known = this.#tables.get(resource);
    if (known !== undefined) return known;
    const table = new RecordTable();
    this.#tables.set(resource, table);
    return table;
  }

  nextId(): number {
    return this.#lastId + 1;
  }

  /** Stores a new state of a record. */
  put(resource: ResourceName, record: StoredRecord, origin: WriteOrigin): Version {
    return this.#commit(resource, record.id, record, origin);
  }

  /** Removes a record; its history stays. */
  remove(resource: ResourceName, id: number, origin: WriteOrigin): Version {
    return this.#commit(resource, id, undefined, origin);
  }

  /** Removes a record as if another client had done it. */
  vanish(resource: ResourceName, id: number): void {
    if (this.table(resource).get(id)) this.remove(resource, id, { action: "vanish" });
  }

  /** Restores a write from the data file, without calling listeners. */
  replay(entry: Omit<Version, "sequence" | "previous">): void {
    this.#apply({
      ...entry,
      sequence: this.#log.length + 1,
      previous: this.table(entry.resource).last(entry.id),
    });
  }

  /** Forgets all records and the log. Ids are not reused. */
  clear(): void {
    this.#tables = new Map();
    this.#log = [];
  }

  #commit(resource: ResourceName, id: number, record: StoredRecord | undefined, origin: WriteOrigin): Version {
    const version: Version = {
      sequence: this.#log.length + 1,
      at: this.#clock.now(),
      resource,
      id,
      record,
      previous: this.table(resource).last(id),
      ...origin,
    };
    this.#apply(version);
    for (const listener of this.#listeners) listener(version);
    return version;
  }

  #apply(version: Version): void {
    const table = this.table(version.resource);
    if (version.record === undefined) table.remove(version);
    else table.put(version);
    this.#log.push(version);
    if (version.id > this.#lastId) this.#lastId = version.id;
  }
}

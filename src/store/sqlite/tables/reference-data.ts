import type { Database } from "better-sqlite3";
import type { Clock, Json, ResourceName } from "#model";
import { parseText, type JsonText } from "../../rows/json-text.ts";

/** Lookup values of the service as last read. */
export class ReferenceData {
  readonly #clock: Clock;
  readonly #reference;
  readonly #saveReference;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#reference = db.prepare<[string], { read_at: number; entries: JsonText<Json> }>(
      "SELECT read_at, entries FROM reference WHERE resource = ?",
    );
    this.#saveReference = db.prepare<[string, number, string]>(`
      INSERT INTO reference (resource, read_at, entries) VALUES (?, ?, ?)
      ON CONFLICT (resource) DO UPDATE SET read_at = excluded.read_at, entries = excluded.entries`);
  }

  reference(resource: ResourceName): { readAt: number; entries: Json } | undefined {
    const found = this.#reference.get(resource);
    return found && { readAt: found.read_at, entries: parseText(found.entries) };
  }

  saveReference(resource: ResourceName, entries: Json): void {
    this.#saveReference.run(resource, this.#clock.now(), JSON.stringify(entries));
  }
}

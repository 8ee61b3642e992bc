import type { Database } from "better-sqlite3";
import type { Clock, Projection, ResourceName } from "#model";

/** Creates that were begun and whose end is not known. */
export class Intents {
  readonly #clock: Clock;
  readonly #resource;
  readonly #open;
  readonly #look;
  readonly #end;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#resource = db.prepare<[number], string>("SELECT resource FROM intents WHERE record = ?").pluck();
    this.#open = db.prepare<[number, string, string, number]>(
      "INSERT INTO intents (record, resource, projection, begun_at) VALUES (?, ?, ?, ?)",
    );
    this.#look = db.prepare<[number, number]>(
      "UPDATE intents SET looks = looks + 1, first_look_at = coalesce(first_look_at, ?) WHERE record = ?",
    );
    this.#end = db.prepare<[number]>("DELETE FROM intents WHERE record = ?");
  }

  /** Where the record's open intent leads, or undefined. */
  resourceOf(record: number): ResourceName | undefined {
    return this.#resource.get(record);
  }

  open(record: number, intent: { resource: ResourceName; projection: Projection }): void {
    this.#open.run(record, intent.resource, JSON.stringify(intent.projection), this.#clock.now());
  }

  /** False when there is no open intent. */
  looked(record: number): boolean {
    return this.#look.run(this.#clock.now(), record).changes === 1;
  }

  /** False when there was no open intent. */
  end(record: number): boolean {
    return this.#end.run(record).changes === 1;
  }
}

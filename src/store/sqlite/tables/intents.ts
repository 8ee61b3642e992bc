import type { Database } from "better-sqlite3";
import type { Clock, Projection, ResourceName } from "#model";

/** Creates that were begun and whose result is not known. */
export class Intents {
  readonly #clock: Clock;
  readonly #resource;
  readonly #open;
  readonly #answer;
  readonly #look;
  readonly #end;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#resource = db.prepare<[number], string>("SELECT resource FROM intents WHERE record = ?").pluck();
    this.#open = db.prepare<[number, string, string, number]>(
      "INSERT INTO intents (record, resource, projection, begun_at) VALUES (?, ?, ?, ?)",
    );
    this.#answer = db.prepare<[number]>("UPDATE intents SET answered = 1 WHERE record = ?");
    this.#look = db.prepare<[number]>("UPDATE intents SET looks = looks + 1 WHERE record = ?");
    this.#end = db.prepare<[number]>("DELETE FROM intents WHERE record = ?");
  }

  /** The resource of the record's open intent, if there is one. */
  resourceOf(record: number): ResourceName | undefined {
    return this.#resource.get(record);
  }

  open(record: number, intent: { resource: ResourceName; projection: Projection }): void {
    this.#open.run(record, intent.resource, JSON.stringify(intent.projection), this.#clock.now());
  }

  /** False when there is no open intent. */
  answered(record: number): boolean {
    return this.#answer.run(record).changes === 1;
  }

  /** False when there is no open intent. */
  looked(record: number): boolean {
    return this.#look.run(record).changes === 1;
  }

  /** False when there was no open intent. */
  end(record: number): boolean {
    return this.#end.run(record).changes === 1;
  }
}

import { z } from "zod";
import type { Note } from "../../note.ts";
import { upsert } from "../../roles/access.ts";
import type { Database } from "../database.ts";
import { partsOf } from "../in-parts.ts";
import type { Moment } from "../moment.ts";
import { fill, filled, type SqlText } from "../sql.ts";
import { noteStore } from "./notes.ts";

const open = z.object({ byMs: z.number(), latest: z.number(), after: z.number() });
type SetBackFact = z.infer<typeof open>;
/**
 * How far due times have followed a clock that was set back (the last record's id), and the clock's time before. Absent when they are done.
 */
const setBackNote: Note<SetBackFact> = { name: "clock/setBackTo", schema: open };

const MOVE = "UPDATE records SET due_at = due_at - @byMs WHERE id = ANY (@ids) AND state <> 'claimed'";
const MOVE_LEASES = `
  UPDATE records SET due_at = due_at - @byMs WHERE stream = ANY (ARRAY(SELECT stream FROM streams)) AND state = 'claimed'`;
const FORGET = "DELETE FROM notes WHERE name = @name";

/** Moves due times and leases after the clock was set back, part by part. Records that are put off meanwhile may come early. */
export class PostgresSetBack {
  readonly #db: Database;
  readonly #moment: Moment;
  readonly #notes;

  constructor(db: Database, moment: Moment) {
    this.#db = db;
    this.#moment = moment;
    this.#notes = noteStore(db);
  }

  /** The clock's last time; while due times are being moved, its time before it was set back. */
  async latestMoment(): Promise<number> {
    return (await this.#notes.note(setBackNote))?.latest ?? this.#moment.ms;
  }

  /** Moves everything back by `byMs`. First completes an interrupted call of this or an earlier process. */
  async follow(byMs: number): Promise<void> {
    for (let leftMs = byMs; leftMs > 0;) {
      const begun = await this.#begin(leftMs);
      await this.#end(begun);
      leftMs -= begun.byMs;
    }
  }

  /** Moves the leases, or returns an interrupted move if the clock has not yet caught up with the time before it. */
  async #begin(byMs: number): Promise<SetBackFact> {
    const known = await this.#notes.note(setBackNote);
    if (known !== undefined && this.#db.clock.now() < known.latest) return known;
    const begun = { byMs, latest: this.#moment.ms, after: 0 };
    await this.#db.step([fill(MOVE_LEASES, { byMs }), saving(begun)]);
    return begun;
  }

  /** Moves the remaining due times, then the stored time itself. */
  async #end(begun: SetBackFact): Promise<void> {
    const { byMs, latest } = begun;
    const left = "records WHERE due_at IS NOT NULL AND id > @after";
    for (const { ids, last } of await partsOf(this.#db, "id", left, { ...begun }))
      await this.#db.step([fill(MOVE, { byMs, ids }), saving({ ...begun, after: last })]);
    await this.#db.step([fill(FORGET, { name: setBackNote.name }), this.#moment.begin(latest - byMs)]);
  }
}

function saving(begun: SetBackFact): SqlText {
  return filled(upsert("notes", "name", { name: setBackNote.name, value: JSON.stringify(begun) }));
}

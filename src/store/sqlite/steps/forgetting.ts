import type { Database } from "better-sqlite3";
import { errorFacts, RetryError, type Actor, type RecordId } from "#model";
import type { PrivacyStore } from "../../contract/people/privacy.ts";
import { forgottenError } from "../../facts.ts";
import { NO_HASH, expectForgettable } from "../../forgettable.ts";
import { leftOut, unknownRecord } from "../../refusals.ts";
import { SELECT_RECORD, bindingOf, type RecordRow } from "../../rows/record-row.ts";
import { next } from "../../transitions.ts";
import type { Tables } from "../tables.ts";

/** How this class accesses its tables. */
interface Access {
  read<T>(work: () => T): Promise<T>;
  step<T>(work: () => T, options: { readonly durable: true }): Promise<T>;
  clean<Value>(value: Value): Value;
}

const OF_RECORD = "WHERE stream = @stream AND key = @key";
/** A notice lists the records that it is about in its `affected`. */
const namesRecord = (affected: string) => `instr(${affected}, @stream || ': ') = 1 AND instr(${affected}, @key) > 0`;

/** The statements that overwrite or remove contents. */
const ERASE = [
  "UPDATE contents SET row = '{}' WHERE record = @id",
  "DELETE FROM written WHERE record = @id",
  `DELETE FROM match_keys WHERE (resource, service_id) IN (SELECT resource, service_id FROM bindings WHERE record = @id)`,
  `UPDATE audit SET before = NULL, after = NULL, why = NULL ${OF_RECORD}`,
  // Their outcome quotes what was answered.
  `DELETE FROM audit ${OF_RECORD} AND action = 'attempt'`,
  `DELETE FROM exchanges ${OF_RECORD}`,
  `DELETE FROM watches ${OF_RECORD}`,
  `UPDATE notices SET notice = json_remove(notice, '$.cause') WHERE ${namesRecord("notice ->> '$.affected'")}`,
  `UPDATE notice_events SET event = json_remove(event, '$.notice.cause') WHERE ${namesRecord("event ->> '$.notice.affected'")}`,
];

/** Overwrites what is stored of a record's contents, down to the bytes of the files. */
export class Forgetting implements PrivacyStore {
  readonly #db: Database;
  readonly #tables: Tables;
  readonly #access: Access;
  readonly #find;
  readonly #erase;
  readonly #move;

  constructor(db: Database, tables: Tables, access: Access) {
    this.#db = db;
    this.#tables = tables;
    this.#access = access;
    this.#find = db.prepare<[string, string], RecordRow>(`${SELECT_RECORD} WHERE r.stream = ? AND r.key = ?`);
    this.#erase = ERASE.map((sql) => db.prepare<[object]>(sql));
    this.#move = db.prepare(`
      UPDATE records SET state = @state, hash = '${NO_HASH}', due_at = NULL, attempts = 0, error = @error, unreadable = @unreadable
      WHERE id = @id`);
  }

  async forget(id: RecordId, by: Actor): Promise<void> {
    const clean = this.#access.clean(by);
    await this.#access.step(() => this.#overwrite(id, clean), { durable: true });
    await this.#access.read(() => this.#rewriteFiles());
  }

  #overwrite(name: RecordId, by: Actor): void {
    const { audit, family } = this.#tables;
    const record = this.#find.get(name.stream, name.key);
    if (record === undefined) throw unknownRecord(name);
    expectForgettable(name, record);
    const { id } = record;
    const state = next(record.state, "forget");
    for (const statement of this.#erase) statement.run({ ...name, id });
    const error = state === "skipped" ? JSON.stringify(leftOut(forgottenError.message)) : null;
    this.#move.run({ id, state, error, unreadable: JSON.stringify(forgottenError) });
    family.setWaits(id, []);
    family.wakeDependents(name, false);
    const { resource = "", serviceId } = bindingOf(record) ?? {};
    audit.add(name, { action: "forget", resource, serviceId, outcome: "forgotten", by });
  }

  /**
   * Overwritten rows leave their bytes in the file's free space and in its log, and moved rows leave copies. Only rewriting the file
   * removes them.
   */
  #rewriteFiles(): void {
    try {
      this.#db.exec("VACUUM");
      const isRead = this.#db.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) === 1;
      if (isRead) throw new Error("another process reads the log");
    } catch (cause) {
      throw new RetryError(
        "E_FORGET_UNFINISHED",
        `the record was forgotten, but ${this.#db.name} may still hold old bytes of it, since it could not be rewritten (${errorFacts(cause).message}): forget it again`,
        { cause },
      );
    }
  }
}

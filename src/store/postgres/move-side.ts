import { finished } from "node:stream/promises";
import { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { ADD_MARK, FIND_MARK, type MoveMark } from "../move/mark.ts";
import {
  IS_USED,
  ROWS_AT_ONCE,
  type LastNumbers,
  type MoveDeps,
  type MovedRow,
  type MovedTable,
  type MoveSide,
} from "../move/side.ts";
import type { Member } from "./cluster/member.ts";
import { joinPrepared } from "./cluster/turn.ts";
import { postgresFailure } from "./connection/failures.ts";
import { clientOptions, connectClient, describePlace, type PostgresPlace } from "./connection/link.ts";
import { locked, quoted } from "./connection/prefix.ts";
import { fill, type SqlText } from "./sql.ts";
import { storedText } from "./text.ts";

/** Settings for an old store, whose transaction is idle while the new one writes. Only the last commit waits for the disk. */
const PATIENT =
  "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL synchronous_commit = off";
/** A commit that waits for the disk also makes all earlier ones durable. */
const SAVE_MARK = `SET LOCAL synchronous_commit = on; DELETE FROM move; ${ADD_MARK}; COMMIT`;
/** The columns that the server numbers, and their sequences. */
const NUMBERED = `
  SELECT table_name AS name, column_name AS column, pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence
  FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'`;

const TABLES = "SELECT string_agg(tablename, ', ') AS names FROM pg_tables WHERE schemaname = current_schema()";

interface Numbered {
  readonly name: string;
  readonly column: string;
  readonly sequence: string;
}

/** A store in PostgreSQL as one side of a move, held as by a daemon that works alone. */
export class PostgresMoveSide implements MoveSide {
  readonly place: string;
  readonly #client: Client;
  readonly #member: Member;
  readonly #begin: SqlText;
  #isFrozen = false;

  private constructor(place: PostgresPlace, client: Client, member: Member) {
    this.place = describePlace(place);
    this.#client = client;
    this.#member = member;
    this.#begin = `BEGIN; ${locked(place)}; ${member.check}; ${PATIENT}`;
    // Without a listener, a broken connection would end the process.
    client.on("error", () => undefined);
    // The next transaction checks whether the place was lost.
    member.keep();
  }

  /** @throws {SyncError} like a daemon that opens the store. */
  static async open(place: PostgresPlace, { clock, logger }: MoveDeps): Promise<MoveSide> {
    const member = await joinPrepared(place, { clock, logger, isMover: true });
    const client = new Client(clientOptions(place.url));
    try {
      await connectClient(client);
      return new PostgresMoveSide(place, client, member);
    } catch (thrown) {
      await client.end().catch(() => undefined);
      await member[Symbol.asyncDispose]();
      throw postgresFailure(thrown);
    }
  }

  async mark(): Promise<MoveMark | undefined> {
    const [mark] = await this.#transaction(() => this.#rows<MoveMark>(FIND_MARK));
    return mark;
  }

  async saveMark(mark: MoveMark): Promise<void> {
    if (!this.#isFrozen) await this.freeze();
    await this.#transaction(() => this.#client.query(fill(SAVE_MARK, { ...mark })));
    this.#isFrozen = false;
  }

  async freeze(): Promise<void> {
    await this.#do(() => this.#client.query(this.#begin));
    this.#isFrozen = true;
  }

  async isUnused(): Promise<boolean> {
    const [found] = await this.#transaction(() => this.#rows<{ used: boolean }>(IS_USED));
    return found?.used === false;
  }

  async *rows({ name, columns, key }: MovedTable): AsyncIterable<readonly MovedRow[]> {
    const isFrozen = this.#isFrozen;
    try {
      if (!isFrozen) await this.#client.query(this.#begin);
      await this.#client.query(
        `DECLARE all_rows NO SCROLL CURSOR FOR SELECT ${listOf(columns)} FROM ${name} ORDER BY ${listOf(key)}`,
      );
      for (;;) {
        const next = { text: `FETCH ${ROWS_AT_ONCE} FROM all_rows`, rowMode: "array" as const };
        const { rows } = await this.#client.query<(string | number | null)[]>(next);
        if (rows.length === 0) return;
        yield rows;
      }
    } catch (thrown) {
      throw postgresFailure(thrown);
    } finally {
      await this.#client.query(isFrozen ? "CLOSE all_rows" : "ROLLBACK").catch(() => undefined);
    }
  }

  async write({ name, columns }: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    await this.#transaction(async () => {
      const copy = this.#client.query(copyFrom(`COPY ${name} (${listOf(columns)}) FROM STDIN`));
      copy.end(rows.map((row) => `${row.map(copyText).join("\t")}\n`).join(""));
      await finished(copy);
    });
  }

  async clear({ name }: MovedTable): Promise<void> {
    await this.#transaction(() => this.#client.query(`TRUNCATE ${name}`));
  }

  async lastNumbers(): Promise<LastNumbers> {
    return this.#transaction(async () => {
      const all = await this.#rows<{ name: string; last: number | null }>(
        `SELECT name, pg_sequence_last_value(sequence::regclass) AS last FROM (${NUMBERED}) AS numbered`,
      );
      return new Map(all.flatMap(({ name, last }) => (last === null ? [] : [[name, last]])));
    });
  }

  async finish(numbers: LastNumbers): Promise<void> {
    await this.#transaction(async () => {
      for (const { name, column, sequence } of await this.#rows<Numbered>(NUMBERED)) {
        const next = `SELECT setval(@sequence, greatest(max(${column}), nullif(@last::bigint, 0))) FROM ${name}`;
        await this.#client.query(fill(next, { sequence, last: numbers.get(name) }));
      }
      // Updates the statistics, so that the first queries are planned well.
      const [tables] = await this.#rows<{ names: string }>(TABLES);
      await this.#client.query(`ANALYZE ${tables?.names}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end().catch(() => undefined);
    await this.#member[Symbol.asyncDispose]();
  }

  async #rows<Row extends object>(sql: SqlText): Promise<Row[]> {
    return (await this.#client.query<Row>(sql)).rows;
  }

  /** Runs `work` in its own transaction or, in a frozen store, in the transaction that froze it. */
  #transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#do(async () => {
      if (this.#isFrozen) return work();
      await this.#client.query(this.#begin);
      const done = await work();
      await this.#client.query("COMMIT");
      return done;
    });
  }

  async #do<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      await this.#client.query("ROLLBACK").catch(() => undefined);
      this.#isFrozen = false;
      throw postgresFailure(thrown);
    }
  }
}

const listOf = (columns: readonly string[]) => columns.map(quoted).join(", ");

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** A value in the text format of COPY. */
function copyText(value: string | number | null): string {
  if (value === null) return "\\N";
  return typeof value === "number"
    ? `${value}`
    : storedText(value).replace(/[\\\t\n\r]/g, (sign) => ESCAPES[sign] ?? sign);
}

import { StopError } from "#model";
import { version as program, type Logger } from "#telemetry";
import { unprepared } from "../../unprepared.ts";
import { functions, functionsHash } from "../functions/index.ts";
import { postgresMigrations } from "../migrations/index.ts";
import { fill, type SqlText } from "../sql.ts";
import { postgresFailure } from "./failures.ts";
import { Link, type PostgresPlace } from "./link.ts";
import { locked, quoted } from "./prefix.ts";

const OLDEST_SERVER = 13;
const FIRST_WITH_MEMBERS = 2;

interface Found {
  readonly version: number;
  readonly functions: string;
  /** The version of svcsync that created the tables. */
  readonly program: string | null;
}

const FACTS = `
  SELECT current_setting('server_version_num')::integer / 10000 AS server, current_setting('server_encoding') AS encoding,
    to_regclass(@table) IS NOT NULL AS is_made`;

/** Tolerates a schema that another daemon creates at the same time. */
const BEGINNING = `
  CREATE TABLE IF NOT EXISTS leases (
    role        text PRIMARY KEY,
    holder      text NOT NULL,
    name        text NOT NULL,
    expires_at  timestamptz NOT NULL
  );
  CREATE TABLE IF NOT EXISTS store_version (version integer NOT NULL, functions text NOT NULL);
  INSERT INTO store_version SELECT 0, '' WHERE NOT EXISTS (SELECT 1 FROM store_version)`;

/** Tables of early versions have no column for the program. */
const FOUND = "SELECT version, functions, to_jsonb(v) ->> 'program' AS program FROM store_version v";
const MADE = "UPDATE store_version SET functions = @functions, program = @program";

/** Drops every function: the schema belongs to the store alone. */
const DROP_FUNCTIONS = `
  DO $$
  DECLARE
    f regprocedure;
  BEGIN
    DROP VIEW IF EXISTS record_rows CASCADE;
    FOR f IN SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = current_schema() LOOP
      EXECUTE format('DROP FUNCTION IF EXISTS %s CASCADE', f);
    END LOOP;
  END $$`;

/** The tables and functions of one store, in a schema of its own. */
export class Schema implements AsyncDisposable {
  readonly #place: PostgresPlace;
  readonly #link: Link;

  constructor(place: PostgresPlace, prefix = locked(place)) {
    this.#place = place;
    this.#link = new Link(place, prefix, { max: 1 });
  }

  /**
   * Creates the schema if there is none. Resolves to whether tables and functions are those of this program.
   * @throws {StopError} E_STORE_NEWER when a newer program created it: nothing is touched. E_STORE_SERVER when the server is not suitable.
   */
  async isCurrent(): Promise<boolean> {
    const { schema } = this.#place;
    if (!(await this.#isMade())) await this.#change(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}; ${BEGINNING}`);
    return this.#isOfThisProgram();
  }

  /** For a reader: changes nothing. @throws {StopError} E_STORE_UNPREPARED unless tables and functions are those of this program. */
  async expectCurrent(): Promise<void> {
    const place = `the schema ${this.#place.schema}`;
    if (!(await this.#isMade())) throw unprepared(place, "nothing");
    if (!(await this.#isOfThisProgram())) throw unprepared(place, "older tables");
  }

  async #isMade(): Promise<boolean> {
    const [facts] = await this.#link.rows<{ server: number; encoding: string; is_made: boolean }>(
      fill(FACTS, { table: `${quoted(this.#place.schema)}.store_version` }),
    );
    if (facts === undefined || facts.server < OLDEST_SERVER || facts.encoding !== "UTF8")
      throw new StopError(
        "E_STORE_SERVER",
        `the store needs PostgreSQL ${OLDEST_SERVER} or newer and a database in UTF8; ` +
          `found PostgreSQL ${facts?.server} and ${facts?.encoding}`,
      );
    return facts.is_made;
  }

  async #isOfThisProgram(): Promise<boolean> {
    const { schema } = this.#place;
    const found = await this.#found();
    if (found.version > postgresMigrations.length)
      throw new StopError(
        "E_STORE_NEWER",
        `svcsync ${found.program} has changed the tables in the schema ${schema}, and this is svcsync ${program}; ` +
          `run ${found.program} or newer, or restore the backup that was taken before it ran`,
        { details: { found: found.version, known: postgresMigrations.length, needed: found.program } },
      );
    return found.version === postgresMigrations.length && found.functions === functionsHash;
  }

  /** Whether the tables support several daemons: those of the first version did not. */
  async hasMembers(): Promise<boolean> {
    return (await this.#found()).version >= FIRST_WITH_MEMBERS;
  }

  /**
   * Migrates tables and functions to this program's version, one transaction per version, so that a crash leaves a complete version. Each
   * ends with `keepTurn`.
   */
  async bringUpToDate(logger: Logger, keepTurn: SqlText): Promise<void> {
    const { version: from, program: maker } = await this.#found();
    for (const [version, script] of postgresMigrations.entries())
      if (version >= from)
        await this.#change(`${script}; UPDATE store_version SET version = ${version + 1}; ${keepTurn}`);
    const made = from === postgresMigrations.length && maker !== null ? maker : program;
    const mark = fill(MADE, { functions: functionsHash, program: made });
    await this.#change(`${DROP_FUNCTIONS}; ${functions}; ${mark}; ${keepTurn}`);
    const { schema } = this.#place;
    if (from !== postgresMigrations.length)
      logger.info({ from, to: postgresMigrations.length, schema }, "migrated the store");
  }

  async #found(): Promise<Found> {
    const [found] = await this.#link.rows<Found>(FOUND);
    return found ?? { version: 0, functions: "", program: null };
  }

  async #change(script: string): Promise<void> {
    try {
      await this.#link.send([script]);
    } catch (thrown) {
      throw postgresFailure(thrown);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#link[Symbol.asyncDispose]();
  }
}

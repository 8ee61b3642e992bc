import { messageOf, ParkError, RetryError, SyncError } from "#model";
import type { QueryResult, Engine, DriverFault, SeenTable, SqlSession } from "./engines/engine.ts";
import { Pool } from "./pool.ts";
import { compiled, type Sql } from "./sql-text.ts";
import { meantTable, seenTables } from "./engines/seen-tables.ts";

/** Errors after which a retry can help. All others need a person. */
const passing = new Set<string>(["E_SOURCE_UNREACHABLE", "E_SOURCE_TIMEOUT", "E_SOURCE_BUSY"]);

/** Runs all statements, and turns the errors of drivers into errors that decide what happens next. */
export class SourceDatabase implements AsyncDisposable {
  readonly engine: Engine;
  readonly source: string;
  readonly #pool: Pool<SqlSession>;

  constructor(engine: Engine, options: { source: string; connections: number }) {
    this.engine = engine;
    this.source = options.source;
    this.#pool = new Pool(() => engine.connect(), options.connections);
  }

  /**
   * Runs one statement. An aborted `signal` ends its connection at once and throws the abort reason. With `maxBytes` the answer
   * ends with the row that exceeds it.
   * @throws {RetryError} E_SOURCE_UNREACHABLE, E_SOURCE_TIMEOUT, E_SOURCE_BUSY
   * @throws {ParkError} E_SOURCE_LOGIN, E_SOURCE_FORBIDDEN, E_SOURCE_TABLE, E_SOURCE_COLUMN, E_SOURCE_QUERY …
   */
  async ask(query: Sql, signal: AbortSignal, maxBytes?: number): Promise<QueryResult> {
    const { text, values } = compiled(query, this.engine.name);
    try {
      return await this.#pool.use(signal, (session) => session.query(text, values, signal, maxBytes));
    } catch (error) {
      signal.throwIfAborted();
      throw translated(this, error);
    }
  }

  async tables(signal: AbortSignal): Promise<readonly SeenTable[]> {
    return seenTables(await this.ask(this.engine.tables, signal));
  }

  /** Returns a hint with the table that `name` could have meant, for a message; empty if there is none. */
  async suggestion(name: string, signal: AbortSignal): Promise<string> {
    const table = meantTable(name, await this.tables(signal));
    return table === undefined ? "" : `; did you mean ${table}?`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.close();
  }
}

/** The error of a driver as one that decides what happens next. `outcomeUnknown`: a commit was under way. */
export function translated(
  { engine, source }: Pick<SourceDatabase, "engine" | "source">,
  error: unknown,
  outcomeUnknown = false,
): SyncError {
  if (error instanceof SyncError) return error;
  const fault: DriverFault = engine.fault(error) ?? { code: "E_SOURCE_QUERY" };
  const said = messageOf(error);
  const verb = fault.code === "E_SOURCE_UNREACHABLE" ? "cannot be reached" : "answered";
  const message = `the database of source ${source} ${verb}: ${said}`;
  const details = { source, ...(fault.subject === undefined ? {} : { subject: fault.subject }) };
  return passing.has(fault.code)
    ? new RetryError(fault.code, message, { cause: error, details, outcomeUnknown })
    : new ParkError(fault.code, message, { cause: error, details });
}

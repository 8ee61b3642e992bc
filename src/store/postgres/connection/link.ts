import { Client, Pool, types, type ClientConfig, type PoolClient, type QueryResult } from "pg";
import { originalText } from "../text.ts";
import type { SqlText } from "../sql.ts";
import { NotCarriedOut, isAnswer, isReadsOnly, readsOnly, postgresFailure } from "./failures.ts";
import type { SendPart } from "./step-batch.ts";

/** The address of a store and its schema. */
export interface PostgresPlace {
  readonly url: string;
  readonly schema: string;
}

const CONNECT_MS = 10_000;
/** How long to wait for an answer, in milliseconds. The longest reads look at every row of the store. */
const ANSWER_MS = 120_000;
/** How long a transaction may wait for this process, in milliseconds. Others wait meanwhile; a replica's place ends after eight seconds. */
const IDLE_MS = 3_000;

/** Reads bigint as number and reverses {@link storedText}. The keys are type numbers, fixed in pg_type.dat. */
const parsers = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, Number],
  [types.builtins.TEXT, originalText],
]);
const readers = {
  getTypeParser: (oid: number) => parsers.get(oid) ?? types.getTypeParser(oid),
};

/** The place without user and password. */
export function describePlace({ url, schema }: PostgresPlace): string {
  const { host, port, database } = new Client(url);
  return `postgres://${host}:${port}/${database}, schema ${schema}`;
}

/** Options of every connection. */
export function clientOptions(url: string): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: "svcsync",
    types: readers,
  };
}

interface LinkOptions {
  readonly max: number;
  readonly answerMs?: number;
  /** Whether the server must take writes. If it does not, the connection is closed: the next one may lead to the primary. */
  readonly writes?: boolean;
  /** Called for each notice on a channel that the link listens to. */
  readonly heard?: (notice: string | undefined) => void;
}

/**
 * Connections to the database. A message is one transaction that contains everything it needs, including the schema. Nothing depends on a
 * session, so a pooler may route each message to another connection.
 */
export class Link implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #prefix: SqlText;
  readonly #writes: boolean;

  /** `prefix` is the start of every message. */
  constructor({ url }: PostgresPlace, prefix: SqlText, options: LinkOptions) {
    this.#prefix = prefix;
    const { max, answerMs = ANSWER_MS, writes = false, heard } = options;
    this.#writes = writes;
    this.#pool = new Pool({
      ...clientOptions(url),
      max,
      connectionTimeoutMillis: Math.min(CONNECT_MS, answerMs),
      query_timeout: answerMs,
      // Keep connections open, because they hold the cached plans of their steps.
      idleTimeoutMillis: 0,
      ...(writes ? { verify: expectWrites } : {}),
    });
    // A broken connection is replaced, and the next message shows whether that works. Without these two listeners, for idle connections and
    // for those in use, it would end the process.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => {
      client.on("error", () => undefined);
      if (heard) client.on("notification", ({ payload }) => heard(payload));
    });
  }

  /** Sends the statements as one message and returns the result of each. @throws {NotCarriedOut} or the driver's error. */
  async send(statements: readonly SqlText[]): Promise<QueryResult[]> {
    const client = await this.#connect();
    let broken = true;
    try {
      const results = await resultsOf(client, [this.#prefix, ...statements]);
      broken = false;
      return results.slice(-statements.length);
    } catch (thrown) {
      const isRefused = this.#writes && isReadsOnly(thrown);
      broken = isRefused || !isAnswer(thrown);
      throw isRefused ? new NotCarriedOut(thrown) : thrown;
    } finally {
      client.release(broken);
    }
  }

  /**
   * Runs a transaction of several messages. `talk` sends parts of it; what it returns goes with the commit, and `done` gets the results of
   * all that. If this process is stopped in between, the server ends the transaction after {@link IDLE_MS}.
   * @throws {NotCarriedOut} when the connection broke before the commit was sent, or the driver's error.
   */
  async transaction<T>(
    talk: (send: SendPart) => Promise<{ last: readonly SqlText[]; done: (results: readonly QueryResult[]) => T }>,
  ): Promise<T> {
    const client = await this.#connect();
    let broken = true;
    let isCommitting = false;
    try {
      let begin = ["BEGIN", this.#prefix, `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`];
      const { last, done } = await talk(async (statements) => {
        const results = await resultsOf(client, [...begin, ...statements]);
        begin = [];
        return results.slice(results.length - statements.length);
      });
      isCommitting = true;
      const results = await resultsOf(client, [...last, "COMMIT"]);
      broken = false;
      return done(results.slice(0, -1));
    } catch (thrown) {
      if (this.#writes && isReadsOnly(thrown)) throw new NotCarriedOut(thrown);
      if (!isAnswer(thrown)) throw isCommitting ? thrown : new NotCarriedOut(thrown);
      broken = !(await client.query("ROLLBACK").then(
        () => true,
        () => false,
      ));
      throw thrown;
    } finally {
      client.release(broken);
    }
  }

  async #connect(): Promise<PoolClient> {
    return await this.#pool.connect().catch((cause: unknown) => {
      throw new NotCarriedOut(cause);
    });
  }

  /** The rows of one statement. @throws {SyncError} */
  async rows<Row>(statement: SqlText): Promise<Row[]> {
    try {
      const [result] = await this.send([statement]);
      return result?.rows ?? [];
    } catch (thrown) {
      throw postgresFailure(thrown);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }
}

/** Several statements yield a list of results, which the driver's types do not declare. */
async function resultsOf(client: PoolClient, statements: readonly SqlText[]): Promise<QueryResult[]> {
  const results: QueryResult | QueryResult[] = await client.query(statements.join(";\n"));
  return Array.isArray(results) ? results : [results];
}

function expectWrites(client: PoolClient, done: (refusal?: Error) => void): void {
  client.query<{ transaction_read_only: string }>("SHOW transaction_read_only", (failure?: Error, found?) => {
    done(found?.rows[0]?.transaction_read_only === "on" ? readsOnly() : failure);
  });
}

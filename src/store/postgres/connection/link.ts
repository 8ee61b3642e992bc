import { Client, Pool, types, type ClientConfig, type PoolClient, type QueryResult } from "pg";
import { originalText } from "../text.ts";
import type { SqlText } from "../sql.ts";
import { NotCarriedOut, isAnswer, isReadsOnly, readsOnly, storeFailure } from "./failures.ts";

/** Where a store is, and in which schema. */
export interface PostgresPlace {
  readonly url: string;
  readonly schema: string;
}

const CONNECT_MS = 10_000;
/** What takes longer is cut off: the longest reads look at every row of the store. */
const ANSWER_MS = 120_000;

/** Numbers as numbers, and texts as they were before {@link storedText}. Types by their fixed numbers in pg_type.dat. */
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

/** What every connection has. */
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
  /** Whether only a server that takes writes will do. A connection to another one is given up: the next may lead to the primary. */
  readonly writes?: boolean;
  /** Told of each notice to what the link listens to. */
  readonly heard?: (notice: string | undefined) => void;
}

/**
 * Connections to the database. A message is one transaction: everything that it needs is in it, the schema too, so that nothing
 * depends on a session, and a pooler between this and the server may give each message to another one.
 */
export class Link implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #prefix: SqlText;
  readonly #writes: boolean;

  /** `prefix` begins each message. */
  constructor({ url }: PostgresPlace, prefix: SqlText, options: LinkOptions) {
    this.#prefix = prefix;
    const { max, answerMs = ANSWER_MS, writes = false, heard } = options;
    this.#writes = writes;
    this.#pool = new Pool({
      ...clientOptions(url),
      max,
      connectionTimeoutMillis: Math.min(CONNECT_MS, answerMs),
      query_timeout: answerMs,
      // A connection has the plans of its steps: it is kept.
      idleTimeoutMillis: 0,
      ...(writes ? { verify: expectWrites } : {}),
    });
    // A connection that breaks is replaced, and the next message tells whether that works. Without listeners, one for those that
    // are idle and one for those in use, it would end the process.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => {
      client.on("error", () => undefined);
      if (heard) client.on("notification", ({ payload }) => heard(payload));
    });
  }

  /** Sends the statements as one message and returns the result of each. @throws {NotCarriedOut} or what the driver throws. */
  async send(statements: readonly SqlText[]): Promise<QueryResult[]> {
    const client = await this.#pool.connect().catch((cause: unknown) => {
      throw new NotCarriedOut(cause);
    });
    let broken = true;
    try {
      // Several statements have a list of results, which the types of the driver do not tell.
      const results: unknown = await client.query([this.#prefix, ...statements].join(";\n"));
      broken = false;
      return (Array.isArray(results) ? results : [results]).slice(-statements.length);
    } catch (thrown) {
      const isRefused = this.#writes && isReadsOnly(thrown);
      broken = isRefused || !isAnswer(thrown);
      throw isRefused ? new NotCarriedOut(thrown) : thrown;
    } finally {
      client.release(broken);
    }
  }

  /** The rows of one statement. @throws {SyncError} */
  async rows<Row>(statement: SqlText): Promise<Row[]> {
    try {
      const [result] = await this.send([statement]);
      return result?.rows ?? [];
    } catch (thrown) {
      throw storeFailure(thrown);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }
}

function expectWrites(client: PoolClient, done: (refusal?: Error) => void): void {
  client.query<{ transaction_read_only: string }>("SHOW transaction_read_only", (failure?: Error, found?) => {
    done(found?.rows[0]?.transaction_read_only === "on" ? readsOnly() : failure);
  });
}

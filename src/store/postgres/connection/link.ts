import { callbackify } from "node:util";
import { Client, Pool, types, type ClientConfig, type ClientBase, type PoolClient, type QueryResult } from "pg";
import { expectOwnAnswer, ForeignAnswer, sleep } from "#model";
import { originalText, parseStored } from "../text.ts";
import { fill, type SqlText } from "../sql.ts";
import { NotCarriedOut, isAnswer, isReadsOnly, readsOnly, postgresFailure } from "./failures.ts";

/** The address of a store and its schema. */
export interface PostgresPlace {
  readonly url: string;
  readonly schema: string;
}

const CONNECT_MS = 10_000;
/** How long to wait for an answer, in milliseconds. The longest reads look at every row of the store. */
const ANSWER_MS = 120_000;
/** How long a transaction may wait for this process, in milliseconds. Others wait meanwhile; a daemon's place ends after eight seconds. */
const IDLE_MS = 3_000;
/**
 * The pauses before a connection is replaced whose first answer was not its own, in milliseconds: the pooler hands over the same session, which
 * is good again once it has read the rest of its answers.
 */
const REPLACED_AFTER_MS = [20, 50, 200, 500];
const ECHO = "SELECT @text AS echo";

/** Reads bigint as number and reverses {@link storedText}, also within JSON. The keys are type numbers, fixed in pg_type.dat. */
const parsers = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, Number],
  [types.builtins.TEXT, originalText],
  [types.builtins.JSON, parseStored],
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

/** Connects a client and expects its first answer. @throws the driver's error, or {@link ForeignAnswer}. */
export async function connectClient(client: Client): Promise<void> {
  await client.connect();
  await resultsOf(client, []);
}

/** Sends statements of a transaction and returns the result of each. */
type SendPart = (statements: readonly SqlText[]) => Promise<readonly QueryResult[]>;

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
  readonly #listens: boolean;

  /** `prefix` is the start of every message. */
  constructor({ url }: PostgresPlace, prefix: SqlText, options: LinkOptions) {
    this.#prefix = prefix;
    const { max, answerMs = ANSWER_MS, writes = false, heard } = options;
    this.#writes = writes;
    this.#listens = heard !== undefined;
    this.#pool = new Pool({
      ...clientOptions(url),
      max,
      connectionTimeoutMillis: Math.min(CONNECT_MS, answerMs),
      query_timeout: answerMs,
      // Keep connections open, because they hold the cached plans of their steps.
      idleTimeoutMillis: 0,
      verify: (client, done) => callbackify(expectUsable)(client, writes, done),
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

  async #connect([pauseMs, ...later] = REPLACED_AFTER_MS): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (cause) {
      if (pauseMs === undefined || !(cause instanceof ForeignAnswer)) throw new NotCarriedOut(cause);
      await sleep(pauseMs);
      return await this.#connect(later);
    }
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
    // A session that still listens is dangerous to the next client of a pooler (see expectOwnAnswer).
    if (this.#listens && this.#pool.idleCount > 0) await this.send(["UNLISTEN *"]).catch(() => undefined);
    await this.#pool.end();
  }
}

/** The result of each statement. @throws {ForeignAnswer} */
async function resultsOf(client: ClientBase, statements: readonly SqlText[]): Promise<QueryResult[]> {
  let results: QueryResult[] = [];
  await expectOwnAnswer(async (text) => {
    // Several statements yield a list of results, which the driver's types do not declare.
    const all: QueryResult | QueryResult[] = await client.query([...statements, fill(ECHO, { text })].join(";\n"));
    results = Array.isArray(all) ? all : [all];
    return results.pop()?.rows[0]?.echo;
  });
  return results;
}

async function expectUsable(client: ClientBase, writes: boolean): Promise<void> {
  const results = await resultsOf(client, writes ? ["SHOW transaction_read_only"] : []);
  if (results[0]?.rows[0]?.transaction_read_only === "on") throw readsOnly();
}

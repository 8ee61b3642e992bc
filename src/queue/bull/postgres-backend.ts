import { createPostgresBackend, runMigrations } from "bullmq";
import { Client, escapeIdentifier, Pool, type ClientConfig } from "pg";
import { onServers, type Backend } from "./backend.ts";
import { sharedLooks } from "./looks.ts";
import { tooOld } from "../errors.ts";
import type { MarkName } from "../contract.ts";
import type { QueueAddress } from "../queue-address.ts";

const oldestVersion = 13;
const connectTimeoutMs = 3_000;
/** How long to wait for an answer before a connection is dropped, in milliseconds: it may have broken silently. */
const silenceTimeoutMs = 20_000;
/** Connections per part of BullMQ: each part has its own pool and one more connection to listen on. */
const connectionsPerPart = 4;

/**
 * Survives a server that ends the connection between two queries. A pool does not listen to a connection that it has lent, so this would end
 * the process. The next query fails.
 */
class HeardClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on("error", () => undefined);
  }
}

/** The rows of the table of marks. */
const markIds: Readonly<Record<MarkName, number>> = { creates: 1, writes: 2 };

/** BullMQ on PostgreSQL, in a schema of its own. The schema is created and migrated when the server is first reached. */
export class PostgresBackend implements Backend {
  readonly #place: QueueAddress;
  readonly #pool: Pool;
  readonly looks = sharedLooks;
  readonly jobs: Backend["jobs"];
  readonly worker: Backend["worker"];
  #isPrepared = false;

  constructor(place: QueueAddress) {
    this.#place = place;
    const server = {
      connectionString: place.url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      Client: HeardClient,
    };
    this.#pool = new Pool({ ...server, max: 1, query_timeout: connectTimeoutMs });
    /** The pool replaces a connection that breaks while idle; the next probe tells whether that works. */
    this.#pool.on("error", () => undefined);
    const limits = { max: connectionsPerPart, query_timeout: silenceTimeoutMs };
    const connection = { ...server, ...limits, schema: place.prefix, skipVersionCheck: true };
    ({ jobs: this.jobs, worker: this.worker } = onServers(createPostgresBackend, { connection }, this.looks));
  }

  async probe(): Promise<void> {
    await this.#prepared();
    await this.#pool.query(
      `INSERT INTO ${this.#proofTable} VALUES (1, now()) ON CONFLICT (id) DO UPDATE SET at = now()`,
    );
  }

  async saveMark(mark: number, of: MarkName): Promise<void> {
    await this.#prepared();
    await this.#pool.query(
      `INSERT INTO ${this.#markTable} VALUES ($2, $1) ON CONFLICT (id) DO UPDATE SET mark = excluded.mark`,
      [mark, markIds[of]],
    );
  }

  async mark(of: MarkName): Promise<number | undefined> {
    await this.#prepared();
    const { rows } = await this.#pool.query<{ mark: string }>(`SELECT mark FROM ${this.#markTable} WHERE id = $1`, [
      markIds[of],
    ]);
    return rows[0] && Number(rows[0].mark);
  }

  /** PostgreSQL keeps its jobs over a restart, so there is nothing to repair. */
  onReconnect(): void {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }

  /** Each probe writes the one row of this table, to prove that the server takes writes. */
  get #proofTable() {
    return `${escapeIdentifier(this.#place.prefix)}.svcsync_proof`;
  }

  get #markTable() {
    return `${escapeIdentifier(this.#place.prefix)}.svcsync_mark`;
  }

  async #prepared(): Promise<void> {
    if (!this.#isPrepared) await this.#prepare();
  }

  async #prepare(): Promise<void> {
    const client = await this.#pool.connect();
    try {
      const { rows } = await client.query<{ server_version_num: string }>("SHOW server_version_num");
      const version = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
      if (!(version >= oldestVersion))
        throw tooOld(this.#place.label, `PostgreSQL ${version}`, `PostgreSQL ${oldestVersion}`);
      await runMigrations(client, this.#place.prefix, { skipVersionCheck: true });
      // The lock is needed because one of two processes that create the same table at once fails. The statements form one transaction.
      await client.query(`SELECT pg_advisory_xact_lock(hashtext('svcsync ${this.#place.prefix}'));
        CREATE TABLE IF NOT EXISTS ${this.#proofTable} (id int PRIMARY KEY, at timestamptz);
        CREATE TABLE IF NOT EXISTS ${this.#markTable} (id int PRIMARY KEY, mark bigint NOT NULL)`);
      this.#isPrepared = true;
    } finally {
      // Do not reuse a connection that failed.
      client.release(!this.#isPrepared);
    }
  }
}

import type { Clock, Finding } from "#model";
import type { Logger } from "#telemetry";
import type { OpenContext, OpenedSource } from "../adapter.ts";
import { companiesIn, placeOf, type SourceIdentity } from "../identity.ts";
import type { InboxTables, TableInbox } from "../inbox.ts";
import type { Catalog, Listener, SourceStream } from "../source.ts";
import { catalogOf } from "./catalog.ts";
import { CellReader } from "./read/cells.ts";
import { checkSource, plainFinding } from "./read/check.ts";
import { SourceDatabase } from "./database.ts";
import { engineOf } from "./engines/engines.ts";
import { SqlInbox } from "./inbox/sql-inbox.ts";
import type { SqlRead } from "./read.ts";
import type { SqlSettings } from "./settings.ts";
import { SqlStream } from "./stream.ts";

/** A database as a source. The first read opens connections, and idle ones are ended. */
export class SqlSource implements OpenedSource<SqlRead> {
  readonly #database: SourceDatabase;
  readonly #settings: SqlSettings;
  readonly #cells: CellReader;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly catalog: Catalog;
  readonly listen?: Listener;

  constructor(settings: SqlSettings, context: OpenContext) {
    this.#settings = settings;
    this.#clock = context.clock;
    this.#logger = context.logger;
    this.#cells = new CellReader(settings.timezone ?? "UTC");
    const engine = engineOf(settings);
    this.#database = new SourceDatabase(engine, { source: context.name, connections: settings.connections });
    this.catalog = catalogOf(this.#database);
    const { listen: channel } = settings;
    if (channel !== undefined)
      this.listen = async (told, signal) => {
        const { postgresListener } = await import("./postgres/postgres-listener.ts");
        await postgresListener(settings, channel, this.#logger)(told, signal);
      };
  }

  stream(name: string, read: SqlRead): SourceStream {
    return new SqlStream({
      database: this.#database,
      read,
      zone: this.#settings.timezone ?? "UTC",
      zoneIsSet: this.#settings.timezone !== undefined,
      cells: this.#cells,
      clock: this.#clock,
      logger: this.#logger.child({ stream: name }),
    });
  }

  tableInbox(tables: InboxTables): TableInbox {
    return new SqlInbox(tables, { database: this.#database, settings: this.#settings, clock: this.#clock });
  }

  async identity(read: SqlRead, signal: AbortSignal): Promise<SourceIdentity> {
    const engine = this.#database.engine;
    const own = await engine.identity((query) => this.#database.ask(query, signal));
    const parts = [own.part, ...companiesIn(read)].filter((text) => text !== "");
    return { address: placeOf(this.#settings.url), ...own, part: parts.join(", ") };
  }

  async check(signal: AbortSignal): Promise<Finding[]> {
    const plain = plainFinding(this.#database, this.#settings);
    return [...(await checkSource(this.#database, this.#clock, signal)), ...(plain === undefined ? [] : [plain])];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}

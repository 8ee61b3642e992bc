import type { Clock, RecordId } from "#model";
import type { WatchedExchange, Watch, WatchStore } from "../contract/people/watches.ts";
import { actorOf, actorRow, type ActorRow } from "../rows/actor-row.ts";
import { addAudit } from "../rows/audit-row.ts";
import { parseText, type JsonText } from "../rows/json-text.ts";
import type { Access, Dialect } from "./access.ts";

interface WatchRow extends RecordId, ActorRow {
  readonly until: number;
}

/** Watched records, with their requests and answers. */
export class Watches implements WatchStore {
  readonly #access: Access;
  readonly #clock: Clock;
  readonly #isRecord: string;

  constructor(access: Access, clock: Clock, { isRecord }: Dialect) {
    this.#access = access;
    this.#clock = clock;
    this.#isRecord = isRecord;
  }

  async watch({ id: { stream, key }, until, by }: Watch): Promise<void> {
    const clean = this.#access.clean(by);
    const outcome = `until ${new Date(until).toISOString()}`;
    const add = `
      INSERT INTO watches (stream, key, until, actor, via, why) VALUES (@stream, @key, @until, @actor, @via, @why)`;
    await this.#access.step(
      [
        { sql: `DELETE FROM watches WHERE ${this.#isRecord}`, values: { stream, key } },
        { sql: add, values: { stream, key, until, ...actorRow(clean) } },
        addAudit(this.#clock.now(), { stream, key }, { action: "watch", resource: "", outcome, by: clean }),
      ],
      { durable: true },
    );
  }

  async watches(now: number): Promise<Watch[]> {
    const sql = "SELECT * FROM watches WHERE until > @now ORDER BY stream, key";
    const rows = await this.#access.read<WatchRow>(sql, { now });
    return rows.map((row) => ({ id: { stream: row.stream, key: row.key }, until: row.until, by: actorOf(row) }));
  }

  async saveExchange({ stream, key }: RecordId, exchange: WatchedExchange, keep: number): Promise<void> {
    const values = { stream, key, at: exchange.at, exchange: JSON.stringify(this.#access.clean(exchange)), keep };
    const add = "INSERT INTO exchanges (stream, key, at, exchange) VALUES (@stream, @key, @at, @exchange)";
    const trim = `
      DELETE FROM exchanges WHERE ${this.#isRecord} AND id NOT IN
        (SELECT id FROM exchanges WHERE ${this.#isRecord} ORDER BY id DESC LIMIT @keep)`;
    await this.#access.step([add, trim].map((sql) => ({ sql, values })));
  }

  async exchanges({ stream, key }: RecordId): Promise<WatchedExchange[]> {
    const sql = `SELECT exchange FROM exchanges WHERE ${this.#isRecord} ORDER BY id DESC`;
    const rows = await this.#access.read<{ exchange: JsonText<WatchedExchange> }>(sql, { stream, key });
    return rows.map(({ exchange }) => parseText(exchange));
  }
}

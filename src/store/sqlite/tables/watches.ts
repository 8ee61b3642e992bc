import type { Database } from "better-sqlite3";
import type { Actor, RecordId } from "#model";
import type { Exchange, Watch, WatchStore } from "../../contract/watches.ts";
import type { Access } from "../access.ts";
import type { AuditTrail } from "./audit-trail.ts";
import { parseText, type JsonText } from "./json-text.ts";

interface WatchRow extends RecordId {
  readonly until: number;
  readonly actor: string;
  readonly via: Actor["via"];
  readonly why: string | null;
}

/** Records that people watch, and their requests and answers. */
export class Watches implements WatchStore {
  readonly #access: Access;
  readonly #audit: AuditTrail;
  readonly #save;
  readonly #running;
  readonly #add;
  readonly #trim;
  readonly #list;
  readonly #prune;
  readonly #pruneWatches;

  constructor(db: Database, audit: AuditTrail, access: Access) {
    this.#access = access;
    this.#audit = audit;
    this.#save = db.prepare(`
      INSERT OR REPLACE INTO watches (stream, key, until, actor, via, why)
      VALUES (@stream, @key, @until, @actor, @via, @why)`);
    this.#running = db.prepare<[number], WatchRow>("SELECT * FROM watches WHERE until > ? ORDER BY stream, key");
    this.#add = db.prepare<[string, string, number, string]>(
      "INSERT INTO exchanges (stream, key, at, exchange) VALUES (?, ?, ?, ?)",
    );
    this.#trim = db.prepare<[object]>(`
      DELETE FROM exchanges WHERE stream = @stream AND key = @key AND id NOT IN
        (SELECT id FROM exchanges WHERE stream = @stream AND key = @key ORDER BY id DESC LIMIT @keep)`);
    this.#list = db
      .prepare<[string, string], JsonText<Exchange>>(
        "SELECT exchange FROM exchanges WHERE stream = ? AND key = ? ORDER BY id DESC",
      )
      .pluck();
    this.#prune = db.prepare<[number]>("DELETE FROM exchanges WHERE at < ?");
    this.#pruneWatches = db.prepare<[number]>("DELETE FROM watches WHERE until < ?");
  }

  watch({ id, until, by }: Watch): Promise<void> {
    const clean = this.#access.clean(by);
    const { name: actor, via, why = null } = clean;
    const outcome = `until ${new Date(until).toISOString()}`;
    return this.#access.step(
      () => {
        this.#save.run({ ...id, until, actor, via, why });
        this.#audit.add(id, { action: "watch", resource: "", outcome, by: clean });
      },
      { durable: true },
    );
  }

  watches(now: number): Promise<Watch[]> {
    return this.#access.read(() =>
      this.#running.all(now).map(({ stream, key, until, actor, via, why }) => ({
        id: { stream, key },
        until,
        by: { name: actor, via, why: why ?? undefined },
      })),
    );
  }

  saveExchange({ stream, key }: RecordId, exchange: Exchange, keep: number): Promise<void> {
    const text = JSON.stringify(this.#access.clean(exchange));
    return this.#access.step(() => {
      this.#add.run(stream, key, exchange.at, text);
      this.#trim.run({ stream, key, keep });
    });
  }

  exchanges({ stream, key }: RecordId): Promise<Exchange[]> {
    return this.#access.read(() => this.#list.all(stream, key).map(parseText));
  }

  pruneExchanges(before: number): Promise<number> {
    return this.#access.step(() => {
      this.#pruneWatches.run(before);
      return this.#prune.run(before).changes;
    });
  }
}

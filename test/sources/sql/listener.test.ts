import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { adapters } from "#sources";
import { startPostgres } from "../../setup/postgres.ts";
import { answerAhead } from "../../kit/answer-ahead.ts";
import { memoryLogger } from "../../kit/logger.ts";

describe("a channel of PostgreSQL", () => {
  it("tells of each notification, and of a new connection, since words between two are lost", async () => {
    await using postgres = await startPostgres();
    const sql = adapters.get("sql")!;
    const logger = memoryLogger();
    const settings = sql.settings.parse({ url: postgres.url, listen: "svcsync" });
    await using source = await sql.open(settings, { name: "erp", clock: { now: () => Date.now() }, logger });
    const heard: (string | undefined)[] = [];
    let next = Promise.withResolvers<void>();
    const stop = new AbortController();
    const listening = source.listen!((stream) => {
      heard.push(stream);
      next.resolve();
    }, stop.signal);
    const word = async () => {
      await next.promise;
      next = Promise.withResolvers();
    };
    await word();
    await notify(postgres.url, "customers");
    await word();
    expect(heard).toEqual([undefined, "customers"]);

    await postgres.stop();
    await postgres.start();
    await word();
    await notify(postgres.url, "tickets");
    await word();
    expect(heard.slice(2)).toEqual([undefined, "tickets"]);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      "notifications could not be heard",
      "notifications are heard again",
    ]);
    stop.abort();
    await listening;
  });

  it("is left before the session ends, which a pooler may hand to somebody else", async () => {
    await using postgres = await startPostgres();
    await using way = await answerAhead(postgres.url);
    const sql = adapters.get("sql")!;
    const settings = sql.settings.parse({ url: way.url, listen: "svcsync" });
    await using source = await sql.open(settings, {
      name: "erp",
      clock: { now: () => Date.now() },
      logger: memoryLogger(),
    });
    const stop = new AbortController();
    await source.listen!(() => stop.abort(), stop.signal);
    expect(way.connections[0]!.filter((message) => message.startsWith("Q")).at(-1)).toContain("unlisten *");
  });

  it("is refused for another database", () => {
    const { error } = adapters.get("sql")!.settings.safeParse({ url: "sqlite:/erp.db", listen: "svcsync" });
    expect(error?.issues[0]?.message).toBe("only PostgreSQL has channels: a url of postgres://, or no `listen`");
  });
});

async function notify(url: string, payload: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("select pg_notify('svcsync', $1)", [payload]);
  await client.end();
}

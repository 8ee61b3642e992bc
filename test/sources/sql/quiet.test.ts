import { describe, expect, it } from "vitest";
import { type Cursor } from "#model";
import { SourceDatabase } from "../../../src/sources/sql/database.ts";
import { engineOf } from "../../../src/sources/sql/engines/engines.ts";
import { settings } from "../../../src/sources/sql/settings.ts";
import { never } from "../../kit/outcome.ts";
import { poll } from "../reading.ts";
import { ownTls } from "./opened.ts";
import { openPlace } from "./place.ts";
import { sqlStream, wrapped } from "./sql-stream.ts";
import { renameColumn } from "./statements.ts";
import { dialects, useServers } from "./servers.ts";
import type { DialectName } from "./shapes.ts";
import { sql } from "../../../src/sources/sql/sql-text.ts";

const servers = useServers();
const minuteMs = 60_000;

/** A table whose last row was written an hour ago, followed until nothing is new. */
async function followed(dialect: DialectName) {
  await using stack = new AsyncDisposableStack();
  const { url, writer } = stack.use(await openPlace(dialect, servers.url(dialect)));
  const now = { ms: Date.now() };
  await writer.run("create table items (nr varchar(20), name varchar(20), at varchar(30))");
  const put = (nr: string | null, at: string | null) =>
    writer.run(`insert into items values (${quoted(nr)}, 'x', ${quoted(at)})`);
  await put("A", stampOf(now.ms - 60 * minuteMs));
  const plain = engineOf(settings.parse({ url, ...ownTls(dialect) }));
  let statements = 0;
  const counting = wrapped(plain, (session) => (...asked) => {
    statements++;
    return session.query(...asked);
  });
  const engine = {
    ...counting,
    get clock() {
      return sql.raw(String(now.ms));
    },
    moment: async (ask: Parameters<typeof plain.moment>[0]) => ({
      ...(await plain.moment(ask)),
      atMs: now.ms,
      open: [],
    }),
  };
  const stream = sqlStream(stack.use(new SourceDatabase(engine, { source: "erp", connections: 1 })), {
    table: "items",
    key: "nr",
    changed: "at",
  });
  let cursor: Cursor | null = null;
  const look = async () => {
    statements = 0;
    const read = await poll(stream, cursor);
    ({ cursor } = read);
    return { keys: read.keys, statements };
  };
  await look();
  await look();
  const owned = stack.move();
  return { look, put, now, stream, writer, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const quoted = (value: string | null) => (value === null ? "null" : `'${value}'`);

function stampOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace("T", " ");
}

describe.each(dialects)("a poll of %s when nothing is new", (dialect) => {
  it("is one statement, however often", async () => {
    await using erp = await followed(dialect);
    for (let hours = 0; hours < 3; hours++) {
      expect(await erp.look()).toEqual({ keys: [], statements: 1 });
      erp.now.ms += 60 * minuteMs;
    }
    await erp.put("B", stampOf(erp.now.ms - 30 * minuteMs));
    expect((await erp.look()).keys).toEqual(["B"]);
  });

  it("sees rows without a stamp, in the future, or without a key", async () => {
    await using erp = await followed(dialect);
    await erp.put("unset", null);
    expect((await erp.look()).keys).toEqual(["unset"]);
    await erp.put("future", stampOf(erp.now.ms + 600 * minuteMs));
    expect((await erp.look()).keys.toSorted()).toEqual(["future", "unset"]);
    await erp.writer.run("delete from items where nr in ('unset', 'future')");
    expect((await erp.look()).keys).toEqual([]);
    await erp.put(null, stampOf(erp.now.ms));
    await erp.look();
    expect(await erp.stream.keyless(never)).toMatchObject([{ place: "items" }]);
  });

  it("sees that the server's clock was set back", async () => {
    await using erp = await followed(dialect);
    expect((await erp.look()).statements).toBe(1);
    erp.now.ms -= 120 * minuteMs;
    await erp.put("B", stampOf(erp.now.ms));
    expect((await erp.look()).keys).toContain("B");
  });

  it("sees that a column is gone", async () => {
    await using erp = await followed(dialect);
    await erp.writer.run(renameColumn(dialect, "items", "nr", "number"));
    await expect(erp.look()).rejects.toMatchObject({ code: "E_SOURCE_COLUMN" });
  });
});

describe("a poll of several pages", () => {
  it("asks the database for the next page while one is stored", async () => {
    await using place = await openPlace("sqlite", undefined);
    await place.writer.run("create table items (nr text); insert into items values ('a'), ('b'), ('c')");
    const asked = Promise.withResolvers<void>();
    let pages = 0;
    const engine = wrapped(engineOf(settings.parse({ url: place.url })), (session) => (text, ...more) => {
      if (text.includes("order by") && ++pages === 2) asked.resolve();
      return session.query(text, ...more);
    });
    await using database = new SourceDatabase(engine, { source: "erp", connections: 1 });
    const stream = sqlStream(database, { table: "items", key: "nr", pageSize: 1 });
    for await (const { changes } of stream.changes(null, never))
      if (changes.some(({ key }) => key === "a")) await asked.promise;
    expect(pages).toBe(3);
  });

  it("ends the query of the next page for a reader that needs no more", async () => {
    await using place = await openPlace("sqlite", undefined);
    await place.writer.run("create table items (nr text); insert into items values ('a'), ('b'), ('c')");
    const signals: AbortSignal[] = [];
    const engine = wrapped(
      engineOf(settings.parse({ url: place.url })),
      (session) =>
        (text, values, signal, ...more) => {
          if (text.includes("order by")) signals.push(signal);
          return session.query(text, values, signal, ...more);
        },
    );
    await using database = new SourceDatabase(engine, { source: "erp", connections: 1 });
    const stream = sqlStream(database, { table: "items", key: "nr", pageSize: 1 });
    for await (const { changes } of stream.changes(null, never)) if (changes.length > 0) break;
    expect(signals.at(-1)!.aborted).toBe(true);
  });
});

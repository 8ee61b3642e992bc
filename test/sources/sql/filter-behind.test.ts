import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOUR_MS, type Cursor } from "#model";
import { SourceDatabase } from "../../../src/sources/sql/database.ts";
import { engineOf } from "../../../src/sources/sql/engines/engines.ts";
import { settings } from "../../../src/sources/sql/settings.ts";
import { never } from "../../kit/outcome.ts";
import { poll } from "../reading.ts";
import { ownTls } from "./opened.ts";
import { openPlace } from "./place.ts";
import { sqlStream, wrapped } from "./sql-stream.ts";
import { dialects, useServers } from "./servers.ts";
import type { DialectName } from "./shapes.ts";

const servers = useServers();
const columns: Record<DialectName, Record<"text" | "native", string>> = {
  sqlite: { text: "text", native: "datetime" },
  postgres: { text: "varchar(30)", native: "timestamptz" },
  mysql: { text: "varchar(30)", native: "datetime" },
  mssql: { text: "varchar(30)", native: "datetime2" },
};
const kinds = ["text", "native"] as const;

/** By how much later the database reads every bound than it was meant, as behind a proxy that forgets the session's time zone. */
let behindMs: number;
/** Whether comparisons find nothing at all. */
let isBlind: boolean;
beforeEach(() => {
  behindMs = 0;
  isBlind = false;
});

let stack: AsyncDisposableStack;
afterEach(() => stack.disposeAsync());

const later = (value: unknown) =>
  typeof value !== "string"
    ? value
    : value.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/, (_, day: string, time: string) =>
        isBlind ? "9999-01-01 00:00:00" : stampOf(Date.parse(`${day}T${time}Z`) + behindMs),
      );

function stampOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace("T", " ");
}

async function items(dialect: DialectName, kind: "text" | "native") {
  stack = new AsyncDisposableStack();
  const { url, writer } = stack.use(await openPlace(dialect, servers.url(dialect)));
  await writer.run(`create table items (nr int primary key, name varchar(20), at ${columns[dialect][kind]})`);
  const begin = Date.now();
  const zone = kind === "native" && dialect === "postgres" ? "+00:00" : "";
  const put = async (nr: number, atMs: number) => {
    await writer.run(`delete from items where nr = ${nr}`);
    await writer.run(`insert into items values (${nr}, 'x', '${stampOf(atMs)}${zone}')`);
  };
  for (let nr = 1; nr <= 4; nr++) await put(nr, begin - 4 * HOUR_MS + nr * 1000);
  const engine = wrapped(
    engineOf(settings.parse({ url, ...ownTls(dialect) })),
    (session) =>
      (text, values, ...more) =>
        session.query(text, values.map(later), ...more),
  );
  const database = stack.use(new SourceDatabase(engine, { source: "erp", connections: 1 }));
  const stream = sqlStream(database, { table: "items", key: "nr", changed: "at" });
  let { cursor } = await poll(stream);
  for (let polls = 0; polls < 2; polls++) ({ cursor } = await poll(stream, cursor));
  return { stream, put, writer, begin, cursor };
}

const missed = (message: RegExp) => ({
  code: "E_SOURCE_FILTER_MISSES",
  family: "park",
  message: expect.stringMatching(message),
});

describe.each(dialects.flatMap((dialect) => kinds.map((kind) => [dialect, kind] as const)))(
  "a database (%s, a stamp of type %s) that compares stamps with another bound than it was given",
  (dialect, kind) => {
    it("stops the stream at each poll, says from how much earlier the row is found, and is found by check", async () => {
      const { stream, put, begin, cursor } = await items(dialect, kind);
      behindMs = 8 * HOUR_MS;
      await put(2, begin);
      for (let polls = 0; polls < 2; polls++)
        await expect(poll(stream, cursor)).rejects.toMatchObject(missed(/row 2 has.*asked from 8 h earlier/));
      expect(await stream.check(never)).toContainEqual(expect.objectContaining({ code: "E_SOURCE_FILTER_MISSES" }));
      behindMs = 0;
      expect((await poll(stream, cursor)).keys).toContain("2");
    });

    it("is noticed before anything changes, and at the first load", async () => {
      const { stream, cursor } = await items(dialect, kind);
      behindMs = 3.5 * HOUR_MS;
      await expect(poll(stream, cursor)).rejects.toMatchObject(missed(/row 4 has.*asked from 3 h 30 min earlier/));
      await expect(poll(stream)).rejects.toMatchObject(missed(/asked from 3 h 30 min/));
      isBlind = true;
      await expect(poll(stream, cursor)).rejects.toMatchObject(missed(/compare another value/));
    });

    it("is noticed while stamps come late, and each poll looks back", async () => {
      const { stream, put, begin, ...known } = await items(dialect, kind);
      await put(1, begin - 3 * HOUR_MS);
      const { cursor, keys } = await poll(stream, known.cursor);
      expect(keys).toContain("1");
      behindMs = 60_000;
      await put(2, begin - 2 * HOUR_MS);
      await expect(poll(stream, cursor)).rejects.toMatchObject({ code: "E_SOURCE_FILTER_MISSES" });
      behindMs = 0;
      expect((await poll(stream, cursor)).keys).toContain("2");
    });

    it("is not suspected where known rows were deleted or got an older stamp", async () => {
      const { stream, put, writer, begin, ...known } = await items(dialect, kind);
      let cursor: Cursor | null = known.cursor;
      const step = async () => ({ cursor } = await poll(stream, cursor)).keys;
      await writer.run("delete from items where nr = 4");
      await step();
      await put(3, begin - 40 * HOUR_MS);
      await step();
      await writer.run("delete from items");
      await step();
      await put(1, begin - HOUR_MS);
      expect(await step()).toEqual(["1"]);
      expect((await stream.check(never)).filter(({ verdict }) => verdict === "problem")).toEqual([]);
    });
  },
);

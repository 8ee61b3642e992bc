import { describe, expect, it } from "vitest";
import { SourceDatabase } from "../../../src/sources/sql/database.ts";
import { engineOf } from "../../../src/sources/sql/engines/engines.ts";
import { settings } from "../../../src/sources/sql/settings.ts";
import { allKeys, poll } from "../reading.ts";
import { sqlStream, wrapped } from "./sql-stream.ts";
import { dialects, useServers } from "./servers.ts";
import type { DialectName } from "./shapes.ts";
import { textLiteral } from "./statements.ts";
import { never } from "../../kit/outcome.ts";

const { open } = useServers();
const serverDialects = dialects.filter((dialect) => dialect !== "sqlite");
/** Text that does not tell upper from lower case, where the database has such a thing. */
const loose: Readonly<Partial<Record<DialectName, string>>> = {
  sqlite: "text collate nocase",
  postgres: "text",
  mysql: "varchar(100) collate utf8mb4_general_ci",
  mssql: "nvarchar(100)",
};

/** Every way to write `abcdef` with small and capital letters. */
const spellings = Array.from({ length: 64 }, (_, at) =>
  "abcdef"
    .split("")
    .map((letter, bit) => ((at >> bit) % 2 === 1 ? letter.toUpperCase() : letter))
    .join(""),
);
const listed = (values: readonly string[]) => values.map((value) => `('${value}')`).join(", ");

describe("odd keys", () => {
  it.each(dialects)("that %s may call equal are each read once, whatever the page", async (dialect) => {
    await using erp = await open(dialect);
    await erp.place.writer.run(`create table items (nr ${loose[dialect]});
      insert into items values ('0'), ${listed(spellings)}, ('z')`);
    for (const pageSize of [1, 2, 7, 63, 64, 65]) {
      const { keys } = await poll(erp.stream({ table: "items", key: "nr", pageSize }));
      expect(keys.toSorted()).toEqual(["0", ...spellings, "z"].toSorted());
    }
  });

  it("that are equal come once although the database orders them anew for each page", async () => {
    await using erp = await open("sqlite");
    await erp.place.writer.run(`create table items (nr text collate nocase);
      insert into items values ('0'), ${listed(spellings)}, ('z')`);
    const shuffled = wrapped(
      engineOf(settings.parse({ url: erp.place.url })),
      (session) =>
        (text, ...more) =>
          session.query(text.replace(/ limit /, ", random() limit "), ...more),
    );
    await using database = new SourceDatabase(shuffled, { source: "erp", connections: 1 });
    const stream = sqlStream(database, { table: "items", key: "nr", pageSize: 2 });
    for (let times = 0; times < 5; times++)
      expect((await poll(stream)).keys.toSorted()).toEqual(["0", ...spellings, "z"].toSorted());
  });

  it.each(dialects)("that end in blanks, or are empty, are records of their own in %s", async (dialect) => {
    await using erp = await open(dialect);
    const odd = ["", " ", " a", "A", "a", "a ", "a  "];
    await erp.place.writer.run(`create table items (nr ${loose[dialect]}); insert into items values ${listed(odd)}`);
    const stream = erp.stream({ table: "items", key: "nr", pageSize: 1 });
    expect((await poll(stream)).keys.toSorted()).toEqual(odd);
    expect((await allKeys(stream)).toSorted()).toEqual(odd);
    for (const key of odd) expect(await stream.readOne(key, never)).toEqual({ nr: key });
  });

  it.each(["enum('z', 'm', 'a')", "set('z', 'm', 'a')"])(
    "of MariaDB's %s are all read, though it sorts them by number and compares them as text",
    async (type) => {
      await using erp = await open("mysql");
      await erp.place.writer.run(`create table items (kind ${type}, nr int, primary key (kind, nr));
        insert into items values ('z', 1), ('z', 2), ('m', 1), ('m', 2), ('a', 1), ('a', 2)`);
      const expected = ["a|1", "a|2", "m|1", "m|2", "z|1", "z|2"];
      for (const pageSize of [1, 2, 4]) {
        const stream = erp.stream({ table: "items", key: ["kind", "nr"], pageSize });
        expect((await poll(stream)).keys).toEqual(expected);
        expect(await allKeys(stream)).toEqual(expected);
      }
    },
  );

  it("of MariaDB that differ in the thirtieth decimal are told from each other", async () => {
    await using erp = await open("mysql");
    const keys = ["0", "0.5", "0.500000000000000000000000000001", "0.500000000000000000000000000002"];
    await erp.place.writer.run(`create table items (nr decimal(38, 30) primary key, amount int);
      insert into items values ${keys.map((key) => `(${key}, 1)`).join(", ")}`);
    const stream = erp.stream({ table: "items", key: "nr", pageSize: 1 });
    expect((await poll(stream)).keys).toHaveLength(4);
    expect(await allKeys(stream)).toHaveLength(4);
    expect(await stream.readOne(keys[3]!, never)).toEqual({ nr: keys[3], amount: 1 });
  });

  it.each(serverDialects)("lose the blanks that fill up a CHAR in %s", async (dialect) => {
    await using erp = await open(dialect);
    await erp.place.writer.run(
      "create table items (nr char(6) primary key, name char(9)); insert into items values ('a', 'x'), ('b', 'y')",
    );
    const stream = erp.stream({ table: "items", key: "nr", pageSize: 1 });
    expect((await poll(stream)).keys).toEqual(["a", "b"]);
    expect(await stream.readOne("a", never)).toEqual({ nr: "a", name: "x" });
  });

  it.each(dialects)("with zeros in front are text, and other records than those without, in %s", async (dialect) => {
    await using erp = await open(dialect);
    await erp.place.writer.run(
      "create table items (nr varchar(9)); insert into items values ('007'), ('7'), ('7.0'), ('1e1'), ('10')",
    );
    const stream = erp.stream({ table: "items", key: "nr", pageSize: 1 });
    expect((await poll(stream)).keys).toEqual(["007", "10", "1e1", "7", "7.0"]);
    for (const key of ["007", "7", "10"]) expect(await stream.readOne(key, never)).toEqual({ nr: key });
  });

  it.each(dialects)("that are decimals are written as their rows show them in %s", async (dialect) => {
    await using erp = await open(dialect);
    await erp.place.writer.run(
      "create table items (nr numeric(12, 2) primary key); insert into items values (7), (10.5), (1234567890.25)",
    );
    const stream = erp.stream({ table: "items", key: "nr", pageSize: 1 });
    const { changes } = await poll(stream);
    expect(changes.map(({ key }) => key)).toEqual(["7", "10.5", "1234567890.25"]);
    for (const change of changes) expect(change).toMatchObject({ row: { nr: Number(change.key) } });
    expect(await stream.readOne("10.5", never)).toEqual({ nr: 10.5 });
  });

  it.each(dialects)("that only look alike in Unicode are not taken for each other in %s", async (dialect) => {
    await using erp = await open(dialect);
    const alike = ["M\u00fcller", "Mu\u0308ller", "Muller"];
    await erp.place.writer.run(
      `create table items (nr ${loose[dialect]}); insert into items values ${alike.map((nr) => `(${textLiteral(dialect, nr)})`).join(", ")}`,
    );
    const stream = erp.stream({ table: "items", key: "nr", pageSize: 1 });
    expect((await poll(stream)).keys.toSorted()).toEqual(alike.toSorted());
    for (const key of alike) expect(await stream.readOne(key, never)).toEqual({ nr: key });
  });

  it.each(dialects)("may be thousands of letters long in %s", async (dialect) => {
    await using erp = await open(dialect);
    const long = [1, 2, 3].map((end) => `${"k".repeat(5_000)}${end}`);
    const type = dialect === "mssql" ? "nvarchar(max)" : "text";
    await erp.place.writer.run(`create table items (nr ${type}); insert into items values ${listed(long)}`);
    const stream = erp.stream({ table: "items", key: "nr", pageSize: 1 });
    expect((await poll(stream)).keys).toEqual(long);
    expect(await stream.readOne(long[1]!, never)).toEqual({ nr: long[1] });
  });
});

describe("rows that a view multiplies", () => {
  const pageSizes = [1, 2, 10];

  it.each(dialects)("stop a first load, also with stamps of their own, in %s", async (dialect) => {
    await using erp = await open(dialect);
    await erp.place.writer.run(`create table items (nr varchar(9), name varchar(9), at ${stampType(dialect)});
      insert into items values ('0', 'w', ${march(1)}), ('1', 'x', ${march(2)}), ('1', 'y', ${march(3)}), ('2', 'z', ${march(4)})`);
    for (const pageSize of pageSizes)
      await expect(poll(erp.stream({ table: "items", key: "nr", changed: "at", pageSize }))).rejects.toMatchObject({
        code: "E_SOURCE_KEY_AMBIGUOUS",
        family: "park",
      });
  });

  it.each(dialects)("stop a later poll in %s", async (dialect) => {
    await using erp = await open(dialect);
    const { writer } = erp.place;
    await writer.run(
      `create table items (nr varchar(9), at ${stampType(dialect)}); insert into items values ('0', ${march(1)})`,
    );
    const stream = erp.stream({ table: "items", key: "nr", changed: "at", pageSize: 1 });
    const { cursor } = await poll(stream);
    await writer.run(`insert into items values ('1', ${march(2)}), ('1', ${march(3)})`);
    await expect(poll(stream, cursor)).rejects.toMatchObject({ code: "E_SOURCE_KEY_AMBIGUOUS" });
  });

  it.each(serverDialects)("are told from one that changes between two pages in %s", async (dialect) => {
    await using erp = await open(dialect);
    const { writer } = erp.place;
    await writer.run(`create table items (nr varchar(9) primary key, name varchar(9));
      insert into items values ('a', '1'), ('b', '1'), ('c', '1')`);
    const keys: string[] = [];
    for await (const { changes } of erp.stream({ table: "items", key: "nr", pageSize: 1 }).changes(null, never)) {
      keys.push(...changes.map(({ key }) => key));
      if (changes.length > 0) await writer.run("update items set name = concat(name, 'x')");
    }
    expect([...new Set(keys)]).toEqual(["a", "b", "c"]);
    expect(keys.length).toBeGreaterThan(3);
  });

  it.each(dialects)("with a NULL in the key are told by a later poll too in %s", async (dialect) => {
    await using erp = await open(dialect);
    const { writer } = erp.place;
    await writer.run(`create table items (a varchar(9), b varchar(9), at ${stampType(dialect)});
      insert into items values ('1', '1', ${march(1)})`);
    const stream = erp.stream({ table: "items", key: ["a", "b"], changed: "at" });
    const { cursor } = await poll(stream);
    expect(await stream.keyless!(never)).toEqual([]);
    await writer.run(`insert into items values ('3', null, ${march(2)})`);
    expect((await poll(stream, cursor)).keys).not.toContain("3");
    expect(await stream.keyless!(never)).toMatchObject([{ place: "items" }]);
  });
});

describe("a stamp that goes back", () => {
  it.each(dialects)("is seen within the overlap, and at the record's next change, in %s", async (dialect) => {
    await using erp = await open(dialect);
    const { writer } = erp.place;
    const ago = (minutes: number) => {
      const text = new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 19).replace("T", " ");
      return { sqlite: `'${text}Z'`, postgres: `'${text}+00'`, mysql: `'${text}'`, mssql: `'${text} +00:00'` }[dialect];
    };
    const type = { sqlite: "text", postgres: "timestamptz", mysql: "timestamp null", mssql: "datetimeoffset" }[dialect];
    await writer.run(`create table items (nr varchar(9), name varchar(9), at ${type});
      insert into items values ('a', '1', ${ago(1)}), ('b', '1', ${ago(1)})`);
    const stream = erp.stream({ table: "items", key: "nr", changed: "at", overlap: "10m" });
    const first = await poll(stream);
    await writer.run(`update items set name = '2', at = ${ago(8)} where nr = 'a'`);
    const second = await poll(stream, first.cursor);
    expect(second.changes).toContainEqual(
      expect.objectContaining({ key: "a", row: expect.objectContaining({ name: "2" }) }),
    );
    await writer.run(`update items set name = '3', at = ${ago(900)} where nr = 'a'`);
    const third = await poll(stream, second.cursor);
    expect(third.keys).not.toContain("a");
    await writer.run(`update items set name = '4', at = ${ago(0)} where nr = 'a'`);
    expect((await poll(stream, third.cursor)).changes).toContainEqual(
      expect.objectContaining({ key: "a", row: expect.objectContaining({ name: "4" }) }),
    );
  });
});

function stampType(dialect: DialectName): string {
  return { sqlite: "timestamp", postgres: "timestamp", mysql: "datetime", mssql: "datetime2" }[dialect];
}

function march(day: number): string {
  return `'2026-03-0${day} 10:00:00'`;
}

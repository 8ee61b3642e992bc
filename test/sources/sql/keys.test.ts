import { describe, expect, it } from "vitest";
import { allKeys, poll } from "../reading.ts";
import { dialects, useServers } from "./servers.ts";
import { never } from "../../kit/outcome.ts";

const { open } = useServers();

describe("keys", () => {
  it.each(dialects)("of several columns are joined and found again in %s", async (dialect) => {
    await using erp = await open(dialect);
    await erp.place.writer
      .run(`create table items (mandant int, nr varchar(20), name varchar(20), primary key (mandant, nr));
      insert into items values (1, 'A|7', 'a'), (1, 'A', 'b'), (2, 'A', 'c'), (10, 'B', 'd')`);
    const stream = erp.stream({ table: "items", key: ["mandant", "nr"], pageSize: 1 });
    expect((await poll(stream)).keys.toSorted()).toEqual(["10|B", "1|A", "1|A\\|7", "2|A"].toSorted());
    expect(await stream.readOne("1|A\\|7", never)).toMatchObject({ name: "a" });
    expect(await stream.readOne("1", never)).toBeUndefined();
  });

  it.each(dialects)("are in order whatever the columns are called in %s", async (dialect) => {
    await using erp = await open(dialect);
    const rows = Array.from({ length: 9 }, (_, at) => `(${9 - at}, ${at % 3}, ${at}, ${9 - at})`).join(", ");
    await erp.place.writer.run(
      `create table items (c0 int, c1 int, C2 int, beyond int); insert into items values ${rows}`,
    );
    const third = dialect === "postgres" ? "c2" : "C2";
    for (const key of ["c0", third, "beyond", ["c1", "c0"]]) {
      const { keys } = await poll(erp.stream({ table: "items", key, pageSize: 2 }));
      expect(keys).toHaveLength(9);
      expect(new Set(keys).size).toBe(9);
    }
  });

  it.each(dialects)("with quotes and odd names are quoted and bound in %s", async (dialect) => {
    const quote = dialect === "mysql" ? "`" : '"';
    const column = `${quote}select ' nr${quote}`;
    await using erp = await open(dialect);
    await erp.place.writer.run(`create table ${quote}odd items${quote} (${column} varchar(40), name varchar(9));
      insert into ${quote}odd items${quote} values ('''; drop table x; --', 'a'), ('O''Neill', 'b'), ('\u00e4', 'c')`);
    const stream = erp.stream({ table: "odd items", key: "select ' nr", pageSize: 1 });
    expect(await allKeys(stream)).toHaveLength(3);
    expect(await stream.readOne("'; drop table x; --", never)).toMatchObject({ name: "a" });
  });

  it("that the database calls equal are all read across page borders", async () => {
    await using erp = await open("sqlite");
    await erp.place.writer.run(`create table items (nr text collate nocase, name text);
      insert into items values ('a', '1'), ('A', '2'), ('b', '3'), ('B', '4'), ('c', '5'), ('C', '6'), ('d', '7')`);
    const keys = await allKeys(erp.stream({ table: "items", key: "nr", pageSize: 1 }));
    expect([...new Set(keys)].toSorted()).toEqual(["A", "B", "C", "a", "b", "c", "d"]);
    expect(await erp.stream({ table: "items", key: "nr" }).readOne("B", never)).toMatchObject({ name: "4" });
  });

  it("that ignore case in MariaDB find only the record that is meant", async () => {
    await using erp = await open("mysql");
    await erp.place.writer.run("create table items (nr varchar(9) primary key); insert into items values ('Abc')");
    const stream = erp.stream({ table: "items", key: "nr" });
    expect(await stream.readOne("Abc", never)).toEqual({ nr: "Abc" });
    expect(await stream.readOne("abc", never)).toBeUndefined();
  });

  it.each(dialects)(
    "that are NULL leave their rows out, and are told for as long as they are there, in %s",
    async (dialect) => {
      await using erp = await open(dialect);
      const { writer } = erp.place;
      await writer.run(
        "create table items (nr varchar(9), name varchar(9)); insert into items values ('a', 'b'), (null, 'c'), ('d', 'e'), ('f', 'g')",
      );
      const stream = erp.stream({ table: "items", key: "nr", pageSize: 1 });
      expect((await poll(stream)).keys).toEqual(["a", "d", "f"]);
      const one = "1 row has NULL in the key (nr): give each a key, or leave them out with `where`";
      expect(await stream.keyless!(never)).toEqual([{ place: "items", reason: one }]);
      expect((await allKeys(stream)).toSorted()).toEqual(["a", "d", "f"]);
      await writer.run("update items set nr = 'h' where nr is null");
      expect(await stream.keyless!(never)).toEqual([]);
      const where = { table: "items", key: "nr", where: "name <> 'c'" };
      expect((await poll(erp.stream(where))).keys).toEqual(["a", "d", "f"]);
    },
  );

  it("that are NULL in more than a few rows stop the stream", async () => {
    await using erp = await open("sqlite");
    const rows = Array.from({ length: 100 }, (_, at) => (at < 21 ? "(null)" : `('${at}')`)).join(", ");
    await erp.place.writer.run(`create table items (nr text); insert into items values ${rows}`);
    const stream = erp.stream({ table: "items", key: "nr" });
    await poll(stream);
    await expect(stream.keyless!(never)).rejects.toMatchObject({ code: "E_SOURCE_KEY_NULL", family: "park" });
  });

  it.each(dialects)("that are not unique stop the stream in %s", async (dialect) => {
    await using erp = await open(dialect);
    await erp.place.writer.run(
      "create table items (nr varchar(9), name varchar(9)); insert into items values ('a', 'b'), ('a', 'c')",
    );
    const stream = erp.stream({ table: "items", key: "nr", pageSize: 1 });
    await expect(poll(stream)).rejects.toMatchObject({ code: "E_SOURCE_KEY_AMBIGUOUS", family: "park" });
  });
});

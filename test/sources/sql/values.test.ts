import { describe, expect, it } from "vitest";
import { poll } from "../reading.ts";
import { openSql } from "./opened.ts";
import { useServers } from "./servers.ts";
import { never } from "../../kit/outcome.ts";

const servers = useServers();

const read = { table: "items", key: "id" };

describe("values", () => {
  it("of PostgreSQL arrive unharmed", async () => {
    await using erp = await openSql("postgres", servers.postgres.url);
    await erp.place.writer.run(`create table items (id int8 primary key, amount numeric(30, 10), price numeric(10, 2),
        ratio float8, hours float4, active bool, at timestamptz, local timestamp, day date, clock time, doc jsonb, uid uuid, tags text[],
        note text);
      insert into items values (9007199254740993, 12345678901234567890.0123456789, 12.50, 0.1, 19.99, true,
        '2025-03-01 10:00:00.123456+02', '2025-07-01 10:00:00.5', '2025-03-01', '10:00:00', '{"a": [1, null]}',
        'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{x,y}', 'Müller ''& Söhne')`);
    const [change] = (await poll(erp.stream(read))).changes;
    expect(change).toEqual({
      kind: "upsert",
      key: "9007199254740993",
      row: {
        id: "9007199254740993",
        amount: "12345678901234567890.0123456789",
        price: 12.5,
        ratio: 0.1,
        hours: 19.99,
        active: true,
        at: "2025-03-01T08:00:00.123456Z",
        local: "2025-07-01T10:00:00.5+02:00",
        day: "2025-03-01",
        clock: "10:00:00",
        doc: { a: [1, null] },
        uid: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        tags: "{x,y}",
        note: "Müller '& Söhne",
      },
    });
    expect(await erp.stream(read).readOne("9007199254740993", never)).toMatchObject({ price: 12.5 });
    expect(await erp.stream(read).readOne("not a number", never)).toBeUndefined();
  });

  it("of MariaDB arrive unharmed", async () => {
    await using erp = await openSql("mysql", servers.mariadb.url);
    await erp.place.writer.run(`create table items (id bigint unsigned primary key, amount decimal(30, 10),
        price decimal(10, 2), ratio double, hours float, active tinyint(1), flags bit(3), at timestamp(6) null, local datetime(6),
        day date, clock time, kind enum('a', 'b'), note varchar(40) character set utf8mb4, small bigint);
      insert into items values (18446744073709551615, 12345678901234567890.0123456789, 12.50, 0.1, 19.99, 1, b'101',
        '2025-03-01 08:00:00.123456', '2025-07-01 10:00:00.5', '2025-03-01', '10:00:00', 'b', 'Müller ''& Söhne 🛠', -5)`);
    const [change] = (await poll(erp.stream(read))).changes;
    expect(change).toEqual({
      kind: "upsert",
      key: "18446744073709551615",
      row: {
        id: "18446744073709551615",
        amount: "12345678901234567890.0123456789",
        price: 12.5,
        ratio: 0.1,
        hours: 19.99,
        active: 1,
        flags: 5,
        at: "2025-03-01T08:00:00.123456Z",
        local: "2025-07-01T10:00:00.500000+02:00",
        day: "2025-03-01",
        clock: "10:00:00",
        kind: "b",
        note: "Müller '& Söhne 🛠",
        small: -5,
      },
    });
    expect(await erp.stream(read).readOne("18446744073709551615", never)).toMatchObject({ small: -5 });
  });

  it("of MariaDB's dates are written alike whatever their precision", async () => {
    await using erp = await openSql("mysql", servers.mariadb.url);
    await erp.place.writer.run("set sql_mode = ''");
    await erp.place.writer
      .run(`create table items (id int primary key, whole datetime, milli datetime(3), micro datetime(6),
        at timestamp(6) null, day date);
      insert into items values
        (1, '2025-03-01 10:00:00', '2025-03-01 10:00:00', '2025-03-01 10:00:00', '2025-03-01 10:00:00', '2025-03-01'),
        (2, '2025-03-01', '2025-03-01 10:00:00.25', '2025-03-30 01:30:00.000001', '2025-03-01 10:00:00.5', '0000-00-00'),
        (3, '0000-00-00', null, '2025-03-30 03:30:00.1', null, null)`);
    const { changes } = await poll(erp.stream(read));
    const rows = changes.map((change) => change.kind === "upsert" && change.row);
    const whole = "2025-03-01T10:00:00+01:00";
    expect(rows).toEqual([
      { id: 1, whole, milli: whole, micro: whole, at: "2025-03-01T10:00:00Z", day: "2025-03-01" },
      {
        id: 2,
        whole: "2025-03-01T00:00:00+01:00",
        milli: "2025-03-01T10:00:00.250+01:00",
        micro: "2025-03-30T01:30:00.000001+01:00",
        at: "2025-03-01T10:00:00.500000Z",
        day: null,
      },
      { id: 3, whole: null, milli: null, micro: "2025-03-30T03:30:00.100000+02:00", at: null, day: null },
    ]);
  });

  it("of SQLite arrive unharmed", async () => {
    await using erp = await openSql("sqlite");
    await erp.place.writer
      .run(`create table items (id integer primary key, price decimal(10, 2), local datetime, note text);
      insert into items values (9007199254740993, 12.5, '2025-07-01 10:00:00', '7'), (2, null, 1740824430, x'')`);
    await erp.place.writer.run("update items set note = 'Müller' where id = 2");
    const { changes } = await poll(erp.stream(read));
    expect(changes).toEqual([
      { kind: "upsert", key: "2", row: { id: 2, price: null, local: 1740824430, note: "Müller" } },
      {
        kind: "upsert",
        key: "9007199254740993",
        row: { id: "9007199254740993", price: 12.5, local: "2025-07-01T10:00:00+02:00", note: "7" },
      },
    ]);
  });

  it.each([
    ["sqlite", "blob"],
    ["postgres", "bytea"],
    ["mysql", "varbinary(20)"],
  ] as const)("of binary columns in %s are refused by name, unless they are not selected", async (dialect, type) => {
    await using erp = await servers.open(dialect);
    await erp.place.writer.run(`create table items (id int primary key, name varchar(20), photo ${type});
      insert into items values (1, 'a', null)`);
    await expect(poll(erp.stream(read))).rejects.toMatchObject({
      code: "E_SOURCE_BINARY",
      message: expect.stringContaining("photo"),
    });
    const { changes } = await poll(erp.stream({ ...read, columns: ["name"] }));
    expect(changes).toEqual([{ kind: "upsert", key: "1", row: { id: 1, name: "a" } }]);
  });
});

import { describe, expect, it } from "vitest";
import { systemClock } from "#model";
import { SourceDatabase } from "../../../../src/sources/sql/database.ts";
import type { QueryResult, Engine, SqlSession } from "../../../../src/sources/sql/engines/engine.ts";
import { StampMarker } from "../../../../src/sources/sql/markers/stamp-marker.ts";
import { stampScale } from "../../../../src/sources/sql/markers/stamp-scale.ts";
import { fault, mssqlEngine } from "../../../../src/sources/sql/mssql/mssql-engine.ts";
import { CellReader } from "../../../../src/sources/sql/read/cells.ts";
import { mssqlOptions, loginFailure } from "../../../../src/sources/sql/mssql/mssql-session.ts";
import { mssqlColumn } from "../../../../src/sources/sql/mssql/mssql-types.ts";
import { rowversionCeiling, trackingCeiling } from "../../../../src/sources/sql/markers/counter-marker.ts";
import { settings } from "../../../../src/sources/sql/settings.ts";
import { compareTuple } from "../../../../src/sources/sql/read/tuple.ts";
import { silentLogger } from "../../../kit/logger.ts";
import { poll } from "../../reading.ts";
import { sqlStream } from "../sql-stream.ts";
import { compiled, sql, type Sql } from "../../../../src/sources/sql/sql-text.ts";

const url = "mssql://reader:p%40ss@erp.example:1444/OLDemo";
const engine: Engine = mssqlEngine(settings.parse({ url }));
const column = (name: string, type: string, more = {}) =>
  mssqlColumn({ colName: name, type: { name: type }, userType: 0, ...more });
const text = (part: Sql) => compiled(part, engine.name);

const answer = (row: (string | null)[]) => async (): Promise<QueryResult> => ({ columns: [], rows: [row] });

describe("SQL for SQL Server", () => {
  it("reads everything that the driver would round as text, in a style that no language changes", () => {
    expect(text(engine.exact(column("at", "DateTime2"))).text).toBe('convert(varchar(34), "at", 121)');
    expect(text(engine.exact(column("at", "DateTimeOffset"))).text).toBe('convert(varchar(34), "at", 121)');
    expect(text(engine.exact(column("price", "DecimalN", { precision: 18, scale: 4 }))).text).toBe(
      'convert(varchar(40), "price")',
    );
    expect(text(engine.exact(column("sum", "MoneyN"))).text).toBe(
      'convert(varchar(40), convert(decimal(19, 4), "sum"))',
    );
    expect(text(engine.exact(column('name"]', "NVarChar"))).text).toBe('"name""]"');
  });

  it("tells a number of four bytes from one of eight", () => {
    const [single, double] = [4, 8].map((dataLength) => column("hours", "FloatN", { dataLength }));
    const cells = new CellReader("UTC");
    expect([single!, double!].map((of) => cells.read(Math.fround(19.99), of))).toEqual([19.99, 19.989999771118164]);
    expect(text(engine.bound(0.5, single!)).text).toBe("convert(real, @1)");
  });

  it("asks for the columns of a primary key in the order of the key", () => {
    const asked = text(engine.primaryKey("dbo.CRONUS AG$Customer]"));
    expect(asked.text).toMatch(/is_primary_key = 1 and i\.object_id = object_id\(@1\) order by k\.key_ordinal$/);
    expect(asked.values).toEqual(["[dbo].[CRONUS AG$Customer]]]"]);
  });

  it("reads a CHAR without the blanks that fill it up", () => {
    expect(text(engine.exact(column("nr", "NChar"))).text).toBe('rtrim("nr")');
    expect(text(engine.exact(column("nr", "Char"))).text).toBe('rtrim("nr")');
  });

  it("compares with values of the column's own type, bound and never inlined", () => {
    const at = column("at", "DateTimeN", { dataLength: 8 });
    const price = column("price", "NumericN", { precision: 18, scale: 4 });
    const query = text(
      compareTuple(engine, [at, price, column("nr", "VarChar")], ">=", ["2025-03-01 10:00:00.997", "1.5", "A'7"]),
    );
    expect(query.text).toBe(
      '("at" >= convert(datetime, @1, 121) and ("at" > convert(datetime, @2, 121) or (' +
        '("price" >= convert(decimal(18, 4), @3) and ("price" > convert(decimal(18, 4), @4) or (' +
        '"nr" >= convert(varchar(8000), @5)))))))',
    );
    expect(query.values).toEqual(["2025-03-01 10:00:00.997", "2025-03-01 10:00:00.997", "1.5", "1.5", "A'7"]);
  });

  it("finds a key by a conversion that gives NULL where the text is none of its type", () => {
    expect(text(engine.equals(column("id", "IntN"), "7x")).text).toBe('"id" = try_convert(bigint, @1)');
    expect(text(engine.equals(column("id", "UniqueIdentifier"), "7")).text).toBe(
      '"id" = try_convert(uniqueidentifier, @1)',
    );
  });

  it("compares long texts as a whole", () => {
    const types = ["NVarChar", "VarChar"].map((type) => [type, column("note", type, { dataLength: 0xffff }).type]);
    expect(types).toEqual([
      ["NVarChar", "nvarchar(max)"],
      ["VarChar", "varchar(max)"],
    ]);
    expect(column("nr", "NVarChar", { dataLength: 80 }).type).toBe("nvarchar(4000)");
  });

  it("does not read a column whose rows have types of their own", () => {
    expect(column("value", "Variant")).toMatchObject({ kind: "binary", type: "sql_variant" });
  });

  it("carries a row version as a whole number and compares it as eight bytes", () => {
    const rv = column("rv", "Binary", { userType: 0x50 });
    expect(text(engine.exact(rv)).text).toBe('convert(bigint, "rv")');
    expect(text(engine.bound(77n, rv)).text).toBe("convert(binary(8), convert(bigint, @1))");
    expect(column("photo", "VarBinary").kind).toBe("binary");
  });

  it("takes a stamp in whole minutes that was rounded up for one of the window", async () => {
    const mark = column("at", "DateTimeN", { dataLength: 4 });
    const layout = {
      label: "t",
      from: sql``,
      where: sql``,
      condition: sql``,
      keyless: undefined,
      key: [],
      marks: [mark],
      columns: [mark],
    };
    const ask = answer([]);
    const scale = await stampScale(engine, layout, { changed: "at", stampFormat: "auto" }, ask);
    const marker = new StampMarker({
      engine,
      layout,
      scale,
      zone: "UTC",
      overlapMs: 0,
      clock: systemClock,
      logger: silentLogger,
      ask,
    });
    const bounds = { lower: "2026-03-01T09:55:00.000Z", upper: "2026-03-01T10:00:40.000Z", after: { mark: null } };
    expect(marker.verify("window", bounds, ["2026-03-01 10:01:00.000"], "1")).toBeUndefined();
    expect(() => marker.verify("window", bounds, ["2026-03-01 10:02:00.000"], "1")).toThrow("outside the window");
  });

  it("pages with OFFSET and FETCH", () => {
    expect(text(sql`order by [a] ${engine.limit(7)}`).text).toBe("order by [a] offset 0 rows fetch next 7 rows only");
  });

  it("takes the bound below every row version in flight", async () => {
    const asked: string[] = [];
    const ask = async (query: Sql): Promise<QueryResult> => (
      asked.push(text(query).text),
      { columns: [], rows: [["2001"]] }
    );
    expect(await rowversionCeiling(engine.counters!, ask)).toEqual({ highest: 2001n, lowest: undefined });
    expect(asked).toEqual(["select convert(bigint, min_active_rowversion()) - 1"]);
  });

  it("limits an answer only behind ORDER BY, as SQL Server asks, in every statement of a poll", async () => {
    const columns = [column("id", "IntN"), column("at", "DateTime2")];
    const asked: string[] = [];
    const session: SqlSession = {
      async query(statement) {
        asked.push(statement);
        if (statement.includes("sysutcdatetime")) return { columns: [], rows: [["2026-01-01 10:00:00"]] };
        const isPage = statement.includes("svcsync beyond");
        return { columns, rows: isPage || !statement.includes("offset") ? [] : [["2025-12-01 10:00:00", 1, 1]] };
      },
      end: async () => undefined,
      destroy: () => undefined,
    };
    await using database = new SourceDatabase(
      { ...engine, connect: async () => session },
      { source: "erp", connections: 1 },
    );
    const stream = sqlStream(database, { table: "items", key: "id", changed: "at" });
    const { cursor } = await poll(stream);
    await poll(stream, cursor);
    const limited = asked.filter((statement) => statement.includes("offset"));
    expect(limited.length).toBeGreaterThan(4);
    expect(limited.filter((statement) => !/ order by .* offset /.test(statement))).toEqual([]);
    expect(asked.filter((statement) => statement.includes('("id" is null)')).length).toBeGreaterThan(2);
  });

  it("asks change tracking how far back it remembers, and says when it is off", async () => {
    expect(await trackingCeiling(engine.counters!, "dbo.t", answer(["9", "4"]))).toEqual({ highest: 9n, lowest: 4n });
    await expect(trackingCeiling(engine.counters!, "dbo.t", answer(["9", null]))).rejects.toMatchObject({
      code: "E_SOURCE_TRACKING",
    });
    expect(engine.counters!.trackedKeys("dbo.t]x", ["a", "b"])).toBe(
      "select [a], [b], SYS_CHANGE_VERSION as trackedVersion from changetable(changes [dbo].[t]]x], null) as tracked",
    );
  });
});

describe("the connection to SQL Server", () => {
  it("is encrypted and checked unless the sync file says otherwise", () => {
    expect(mssqlOptions(settings.parse({ url }))).toMatchObject({
      server: "erp.example",
      authentication: { type: "default", options: { userName: "reader", password: "p@ss" } },
      options: {
        port: 1444,
        database: "OLDemo",
        encrypt: true,
        trustServerCertificate: false,
        requestTimeout: 120_000,
      },
    });
    expect(mssqlOptions(settings.parse({ url, tls: { mode: "off" } })).options).toMatchObject({ encrypt: false });
    expect(mssqlOptions(settings.parse({ url, tls: { mode: "trust" } })).options).toMatchObject({
      trustServerCertificate: true,
    });
  });

  it("that is refused has the server's first reason, and its number", () => {
    const last = Object.assign(new Error("Login failed for user 'reader'."), { code: "ELOGIN" });
    const missing = { number: 4060, message: 'Cannot open database "erp" requested by the login. The login failed.' };
    const wrong = { number: 18456, message: last.message };
    expect([[missing, wrong], [wrong], []].map((reasons) => fault(loginFailure(last, reasons))?.code)).toEqual([
      "E_SOURCE_DATABASE",
      "E_SOURCE_LOGIN",
      "E_SOURCE_LOGIN",
    ]);
    expect(loginFailure(last, [missing, wrong]).message).toBe(missing.message);
  });

  it("knows named instances and Windows domains", () => {
    const options = mssqlOptions(settings.parse({ url: "mssql://u:p@erp/db?instance=SQLEXPRESS&domain=ACME" }));
    expect(options.options).toMatchObject({ instanceName: "SQLEXPRESS" });
    expect(options.options).not.toHaveProperty("port");
    expect(options.authentication).toMatchObject({ type: "ntlm", options: { domain: "ACME" } });
  });

  it.each([
    [{ number: 18456 }, "E_SOURCE_LOGIN"],
    [{ number: 208 }, "E_SOURCE_TABLE"],
    [{ number: 207 }, "E_SOURCE_COLUMN"],
    [{ number: 1205 }, "E_SOURCE_BUSY"],
    [{ code: "ETIMEOUT", message: "Timeout: Request failed to complete in 100ms" }, "E_SOURCE_TIMEOUT"],
    [{ code: "ETIMEOUT", message: "Failed to connect to erp:1433 in 15000ms" }, "E_SOURCE_UNREACHABLE"],
    [{ code: "ESOCKET", message: "Connection lost" }, "E_SOURCE_UNREACHABLE"],
  ] as const)("tells what %o means", (facts, code) => {
    expect(fault(Object.assign(new Error("x"), facts))?.code).toBe(code);
  });
});

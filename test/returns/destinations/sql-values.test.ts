import { describe, expect, it } from "vitest";
import type { ReturnValue } from "#model";
import { never } from "../../kit/outcome.ts";
import { dialects, useServers } from "../../sources/sql/servers.ts";
import { addColumn } from "../../sources/sql/statements.ts";
import type { DialectName } from "../../sources/sql/shapes.ts";
import { destinationIn, report, reports, withInbox } from "./sql-inbox.ts";

const servers = useServers();

/** An inbox whose only named column has this type. */
async function column(dialect: DialectName, type: string) {
  const erp = await withInbox(await servers.open(dialect), dialect);
  await erp.place.writer.run(addColumn(dialect, "svcsync_returns", `x ${type}`));
  const destination = destinationIn(erp.source, { ...reports, columns: ["x"] });
  let id = 0;
  return {
    /** Hands over a value, and returns what the database has then, as its own text. */
    async put(value: ReturnValue): Promise<string> {
      await destination.deliver(report(++id, { content: { fields: { x: value }, lines: [] } }), never);
      const text = { sqlite: "x", postgres: "x::text", mysql: "cast(x as char)", mssql: "cast(x as nvarchar(100))" }[
        dialect
      ];
      return erp.place.writer.one(`select ${text} from svcsync_returns where service_id = ${id}`);
    },
    count: () => erp.place.writer.one("select count(*) from svcsync_returns"),
    async [Symbol.asyncDispose]() {
      await destination[Symbol.asyncDispose]();
      await erp[Symbol.asyncDispose]();
    },
  };
}

const typed = ["postgres", "mysql"] as const;
const misfit = (what: string) => ({
  code: "E_RETURN_INBOX",
  family: "park",
  details: { column: "x" },
  message: expect.stringContaining(what),
});

describe.each(typed)("a value for a column of %s", (dialect) => {
  it("is written exactly or refused, as a decimal", async () => {
    await using x = await column(dialect, "decimal(8, 2)");
    expect(await x.put("1234.50")).toBe("1234.50");
    expect(await x.put(7.1)).toBe("7.10");
    expect(await x.put("-0.010000")).toBe("-0.01");
    await expect(x.put("0.005")).rejects.toMatchObject(misfit('takes 2 digits behind the point, found "0.005"'));
    await expect(x.put(1234567)).rejects.toMatchObject(misfit("takes 6 digits before the point"));
    await expect(x.put("")).rejects.toMatchObject(misfit('takes a number, found ""'));
    await expect(x.put("12,5")).rejects.toMatchObject(misfit("takes a number"));
    expect(await x.count()).toBe("3");
  });

  it("is written whole or refused, as a text", async () => {
    await using x = await column(dialect, dialect === "mysql" ? "varchar(5) character set utf8mb4" : "varchar(5)");
    expect(await x.put("Größe")).toBe("Größe");
    expect(await x.put("🔧🔧🔧🔧🔧")).toBe("🔧🔧🔧🔧🔧");
    expect(await x.put("")).toBe("");
    expect(await x.put("a  ")).toBe("a  ");
    expect(await x.put(12345)).toBe("12345");
  });

  it("names the column, its length and what was found, where a text is too long", async () => {
    await using x = await column(dialect, "varchar(5)");
    await expect(x.put("Größen")).rejects.toMatchObject(misfit("takes 5 characters, found 6"));
    await expect(x.put("Größen")).rejects.toThrow(/column x of svcsync_returns \((character varying|varchar)\(5\)\)/);
    await expect(x.put("a     ")).rejects.toMatchObject(misfit("found 6"));
    expect(await x.count()).toBe("0");
  });

  it.runIf(dialect === "mysql")(
    "is refused by the database where the column's character set lacks a character",
    async () => {
      await using x = await column(dialect, "varchar(5) character set latin1");
      expect(await x.put("Größe")).toBe("Größe");
      // MariaDB names the column and the value, MySQL both collations.
      await expect(x.put("🔧")).rejects.toMatchObject({
        code: "E_RETURN_INBOX",
        details: { column: expect.any(String) },
        message: expect.stringMatching(/Incorrect string value|Conversion from collation/),
      });
    },
  );

  it("is a moment in the form of its column", async () => {
    const moment = "2026-07-01T10:00:00Z";
    const wallType = dialect === "mysql" ? "datetime(3)" : "timestamp";
    {
      await using x = await column(dialect, wallType);
      // The source's time zone is Europe/Berlin.
      expect(await x.put(moment)).toMatch(/^2026-07-01 12:00:00(\.000)?$/);
      expect(await x.put("2026-07-01T10:00:00")).toMatch(/^2026-07-01 10:00:00(\.000)?$/);
      expect(await x.put("2026-07-01")).toMatch(/^2026-07-01 00:00:00(\.000)?$/);
      await expect(x.put("01.07.2026")).rejects.toMatchObject(misfit("takes a date or a date-time"));
      await expect(x.put("")).rejects.toMatchObject(misfit("takes a date or a date-time"));
      await expect(x.put("2026-02-31")).rejects.toMatchObject(misfit("takes a date or a date-time"));
    }
    {
      await using x = await column(dialect, "date");
      expect(await x.put("2026-07-01T23:30:00Z")).toBe("2026-07-02");
    }
    await using x = await column(dialect, dialect === "mysql" ? "timestamp(3) null" : "timestamptz");
    for (const same of [moment, "2026-07-01T12:00:00+02:00", "2026-07-01T12:00:00.000"])
      expect(await x.put(same)).toMatch(/^2026-07-01 10:00:00(\.000|\+00)?$/);
  });

  it("is a number or a boolean in the form of its column", async () => {
    {
      await using x = await column(dialect, "int");
      expect(await x.put(42)).toBe("42");
      expect(await x.put("42.000")).toBe("42");
      await expect(x.put(4.2)).rejects.toMatchObject(misfit("takes whole numbers"));
      await expect(x.put(99_999_999_999)).rejects.toMatchObject({
        code: "E_RETURN_INBOX",
        details: { column: expect.any(String) },
      });
    }
    await using x = await column(dialect, "boolean");
    expect(await x.put(true)).toMatch(/^(true|1)$/);
    expect(await x.put(false)).toMatch(/^(false|0)$/);
  });

  it("must be there where NULL is refused", async () => {
    await using x = await column(dialect, "varchar(5) not null");
    await expect(x.put(null)).rejects.toMatchObject(misfit("must not be NULL"));
    await using checked = await column(dialect, "varchar(5) check (x <> 'no')");
    await expect(checked.put("no")).rejects.toMatchObject({
      code: "E_RETURN_INBOX",
      details: { column: expect.any(String) },
    });
    expect(await checked.put("yes")).toBe("yes");
  });
});

describe.each(dialects)("a return in %s", (dialect) => {
  it("is not handed over at all when one of its lines does not fit", async () => {
    await using erp = await withInbox(await servers.open(dialect), dialect);
    await erp.place.writer.run(
      addColumn(dialect, "svcsync_return_lines", "note varchar(9) not null default 'x' check (note not like '_____%')"),
    );
    await using destination = destinationIn(erp.source, { ...reports, lines: [{ columns: ["note"] }] });
    const lines = ["one", "two", "three"].map((note, at) => ({ ...report(1).content.lines[at]!, fields: { note } }));
    await expect(destination.deliver(report(1, { content: { fields: {}, lines } }), never)).rejects.toMatchObject({
      code: "E_RETURN_INBOX",
      details: { column: expect.any(String) },
    });
    expect(await erp.place.writer.one("select count(*) from svcsync_return_lines")).toBe("0");
    expect(await erp.place.writer.one("select count(*) from svcsync_returns")).toBe("0");
  });

  it("may have a thousand lines and a long text", async () => {
    await using erp = await withInbox(await servers.open(dialect), dialect);
    await using destination = destinationIn(erp.source);
    const lines = Array.from({ length: 1000 }, (_, id) => ({
      ...report(1).content.lines[0]!,
      id,
      fields: { text: "x".repeat(500) },
    }));
    expect(await destination.deliver(report(1, { content: { fields: {}, lines } }), never)).toBe("written");
    expect(await erp.place.writer.one("select count(*) from svcsync_return_lines")).toBe("1000");
    expect(await destination.deliver(report(1, { content: { fields: {}, lines } }), never)).toBe("present");
  });
});

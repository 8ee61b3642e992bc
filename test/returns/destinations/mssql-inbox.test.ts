import { describe, expect, it } from "vitest";
import { systemClock } from "#model";
import type { InboxTable } from "#sources";
import { SourceDatabase } from "../../../src/sources/sql/database.ts";
import type { Engine, WritingSession } from "../../../src/sources/sql/engines/engine.ts";
import { SqlInbox } from "../../../src/sources/sql/inbox/sql-inbox.ts";
import { mssqlEngine } from "../../../src/sources/sql/mssql/mssql-engine.ts";
import { mssqlColumn } from "../../../src/sources/sql/mssql/mssql-types.ts";
import { settings } from "../../../src/sources/sql/settings.ts";
import { never } from "../../kit/outcome.ts";

const column = (name: string, type: string, more: object = {}, declared = type.toLowerCase()) => ({
  ...mssqlColumn({ colName: name, type: { name: type }, userType: 0, ...more }),
  declared,
  length: undefined,
  digits: undefined,
  isRequired: false,
});

/** What an inbox in SQL Server sends, on a session that fails as `fails` says. */
function recorded(fails: (text: string) => Error | undefined = () => undefined) {
  const sent: string[] = [];
  const values: unknown[] = [];
  const record = async (text: string) => {
    sent.push(text);
    const error = fails(text);
    if (error !== undefined) throw error;
  };
  const session: WritingSession = {
    async query(text, bound) {
      values.push(...bound);
      await record(text);
      return { columns: [], rows: [] };
    },
    command: (text) => record(text),
    end: async () => undefined,
    destroy: () => sent.push("(connection ended)"),
  };
  const parsed = settings.parse({ url: "mssql://u:p@erp/db", timezone: "Europe/Berlin" });
  const engine = mssqlEngine(parsed);
  const faked: Engine = { ...engine, inbox: { ...engine.inbox, connect: async () => session } };
  const database = new SourceDatabase(faked, { source: "erp", connections: 1 });
  const inbox = new SqlInbox(
    { adds: ["svcsync.returns"], reads: ["svcsync.answers"] },
    { database, settings: parsed, clock: systemClock },
  );
  return { inbox, sent, values };
}

const table: InboxTable = {
  name: "svcsync.returns",
  isTransactional: true,
  columns: [
    column("order_no", "NVarChar", {}, "nvarchar"),
    column("amount", "DecimalN", { precision: 18, scale: 4 }),
    column("at", "DateTimeOffset"),
    column("on", "Date"),
    column("is_done", "BitN"),
  ],
};
const rows = [
  {
    table,
    columns: table.columns.map(({ name }) => name),
    rows: [["Ö'1", "1.5", "2026-07-01T12:00:00", "2026-07-01T23:30:00Z", true]],
  },
];

describe("an inbox in SQL Server", () => {
  it("adds rows with bound values, of which only texts are not converted to their column's type", async () => {
    const { inbox, sent, values } = recorded();
    expect(await inbox.add(rows, never)).toBe("added");
    expect(sent).toEqual([
      "begin transaction",
      'insert into "svcsync"."returns" ("order_no", "amount", "at", "on", "is_done") values ' +
        "(@1, convert(decimal(18, 4), @2), convert(datetimeoffset(7), @3, 121), convert(date, @4, 121), convert(bit, @5))",
      "commit",
    ]);
    expect(values).toEqual(["Ö'1", "1.5", "2026-07-01 10:00:00 +00:00", "2026-07-02", "1"]);
  });

  it.each([
    [2627, "present"],
    [2601, "present"],
  ])("takes error %i for a key that is there", async (number, outcome) => {
    const { inbox, sent } = recorded((text) =>
      text.startsWith("insert") ? Object.assign(new Error("duplicate"), { number }) : undefined,
    );
    expect(await inbox.add(rows, never)).toBe(outcome);
    expect(sent.at(-1)).toBe("(connection ended)");
  });

  it.each([
    [1222, { family: "retry", code: "E_SOURCE_BUSY" }],
    [229, { family: "park", code: "E_SOURCE_FORBIDDEN" }],
    [2628, { family: "park", code: "E_RETURN_INBOX", details: { column: "text" } }],
  ])("tells what error %i means", async (number, meaning) => {
    const error = Object.assign(new Error("String or binary data would be truncated in column 'text'."), { number });
    const { inbox } = recorded((text) => (text.startsWith("insert") ? error : undefined));
    await expect(inbox.add(rows, never)).rejects.toMatchObject(meaning);
  });

  it("adds to no table that is not named for that", async () => {
    const { inbox, sent } = recorded();
    const other = rows.map((some) => ({ ...some, table: { ...table, name: "svcsync.answers" } }));
    await expect(inbox.add(other, never)).rejects.toThrow("svcsync.answers is no table of the inbox");
    expect(sent).toEqual([]);
  });
});

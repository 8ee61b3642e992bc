import { describe, expect, it } from "vitest";
import { inboxDdl } from "../../../src/returns/destinations/sql/ddl.ts";
import type { SqlDialect } from "#sources";
import { reports, states } from "./sql-inbox.ts";

const all: readonly SqlDialect[] = ["postgres", "mysql", "mssql", "sqlite"];

describe("the statements of an inbox", () => {
  it.each(all)("are the same for %s until somebody changes them", async (dialect) => {
    const status = {
      ...reports,
      name: "ticket-status",
      kind: "status" as const,
      columns: ["ticket_no"],
      lines: [],
      answers: undefined,
    };
    const of = [reports, status, states].map((stream) => ({
      ...stream,
      to: {
        source: "erp",
        table: stream.kind === "state" ? "svcsync.states" : "svcsync.returns",
        ...(stream.lines.length > 0 ? { lines: "svcsync.return_lines" } : {}),
      },
      answers: stream.answers && { ...stream.answers, table: "svcsync.answers" },
    }));
    await expect(inboxDdl(dialect, of)).toMatchFileSnapshot(`ddl/${dialect}.sql`);
  });

  it.each(all)("grant no right to change or delete in %s", (dialect) => {
    const grants = inboxDdl(dialect, [reports, states])
      .split("\n")
      .filter((line) => line.startsWith("grant"));
    expect(grants.length).toBe(dialect === "sqlite" ? 0 : 4);
    expect(grants.join("\n").replace(/deny .*$/gm, "")).not.toMatch(/update|delete|all/i);
  });

  it("are refused where one table is meant to be two", () => {
    const same = { ...states, to: { source: "erp", table: "svcsync_returns" } };
    expect(() => inboxDdl("postgres", [reports, same])).toThrow(
      "svcsync_returns is the table of a state and of other streams",
    );
    const twice = { ...reports, to: { source: "erp", table: "svcsync_returns", lines: "svcsync_returns" } };
    expect(() => inboxDdl("postgres", [twice])).toThrow("named for two things");
  });
});

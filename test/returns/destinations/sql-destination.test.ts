import { describe, expect, it } from "vitest";
import { systemClock, type Return } from "#model";
import { openDestination } from "../../../src/returns/destinations/destination.ts";
import { inboxDdl } from "../../../src/returns/destinations/sql/ddl.ts";
import type { InboxStream } from "../../../src/returns/destinations/sql/inbox-columns.ts";
import { quotedName } from "../../../src/sources/sql/sql-text.ts";
import { never } from "../../kit/outcome.ts";
import { mssqlServer } from "../../sources/sql/mssql/server.ts";
import { dialects, useServers } from "../../sources/sql/servers.ts";
import { addColumn } from "../../sources/sql/statements.ts";
import { destinationIn, line, report, reports, state, states, withInbox, withoutRights } from "./sql-inbox.ts";

const { open } = useServers();

describe.each(dialects)("an inbox in %s", (dialect) => {
  const inbox = async () => withInbox(await open(dialect), dialect);

  it("has a report's lines, head, named columns and payload", async () => {
    await using erp = await inbox();
    await using destination = destinationIn(erp.source);
    expect(await destination.deliver(report(4711), never)).toBe("written");
    const { writer } = erp.place;
    expect(await writer.one("select count(*) from svcsync_return_lines where return_id = 'prod/reports/4711/1'")).toBe(
      "5",
    );
    expect(await writer.one("select line_count from svcsync_open")).toBe("5");
    expect(await writer.one("select order_no from svcsync_returns")).toBe("O-1");
    expect(JSON.parse(await writer.one("select payload from svcsync_returns"))).toMatchObject({
      fields: { order_no: "O-1" },
      lines: [{ id: 1, amount: "1.5", fields: { text: "Zeile 1" } }, {}, {}, {}, {}],
    });
    expect(Number(await writer.one("select sum(amount) from svcsync_return_lines"))).toBe(7.5);
  });

  it("has each version once, whoever hands it over, and refuses another content", async () => {
    await using erp = await inbox();
    await using one = destinationIn(erp.source);
    await using other = destinationIn(erp.source, reports, { installation: "copy" });
    expect(await one.deliver(report(1), never)).toBe("written");
    expect(await one.deliver(report(1), never)).toBe("present");
    expect(await other.deliver(report(1), never)).toBe("present");
    await expect(other.deliver(report(1, { hash: "b".repeat(64) }), never)).rejects.toMatchObject({
      code: "E_RETURN_CONFLICT",
      family: "park",
      message: expect.stringContaining("prod/reports/1/1"),
    });
    expect(await erp.place.writer.one("select count(*) from svcsync_returns")).toBe("1");
    expect(await erp.place.writer.one("select count(*) from svcsync_return_lines")).toBe("5");
  });

  it("gets a report once when two installations hand it over at the same moment", async () => {
    await using erp = await inbox();
    await using one = destinationIn(erp.source);
    await using other = destinationIn(erp.source, reports, { installation: "copy" });
    for (let id = 1; id <= 20; id++) {
      const outcomes = await Promise.all([one.deliver(report(id), never), other.deliver(report(id), never)]);
      expect(outcomes.toSorted()).toEqual(["present", "written"]);
    }
    expect(await erp.place.writer.one("select count(*) from svcsync_returns")).toBe("20");
    expect(await erp.place.writer.one("select count(*) from svcsync_return_lines")).toBe("100");
  });

  it("takes no version behind which it has a newer one", async () => {
    await using erp = await inbox();
    await using former = destinationIn(erp.source, reports, { installation: "former" });
    await using destination = destinationIn(erp.source);
    await former.deliver(report(1), never);
    await former.deliver(report(1, { version: 3, hash: "c".repeat(64) }), never);
    for (const item of [report(1), report(1, { version: 2, hash: "b".repeat(64) })])
      await expect(destination.deliver(item, never)).rejects.toMatchObject({
        code: "E_RETURN_CONFLICT",
        message: expect.stringContaining("has version 3 of reports/1"),
      });
    expect(await erp.place.writer.one("select count(*) from svcsync_returns")).toBe("2");
  });

  it("tells the highest version of each subject, and names the version that is replaced as the inbox has it", async () => {
    await using erp = await inbox();
    await using former = destinationIn(erp.source, reports, { installation: "former" });
    await using destination = destinationIn(erp.source);
    await former.deliver(report(1), never);
    await destination.deliver(report(1, { version: 2, hash: "b".repeat(64) }), never);
    await destination.deliver(report(2), never);
    expect([...(await destination.highest("reports", ["1", "2", "3"], never))]).toEqual([
      ["1", 2],
      ["2", 1],
    ]);
    expect([...(await destination.highest("other", ["1"], never))]).toEqual([]);
    const replaces = await erp.place.writer.one("select replaces from svcsync_returns where version = 2");
    expect(replaces).toBe("former/reports/1/1");
  });

  it("keeps decimals, Unicode, empty texts and NULL as they are", async () => {
    await using erp = await inbox();
    await using destination = destinationIn(erp.source);
    const lines = [
      line({ id: 1, amount: "12345678901234.5678", fields: { article: "", text: "Übergröße 漢字 🔧 'x' \\ \"y\"" } }),
      line({ id: 2, amount: "-0.0001", amountBefore: "0.1", change: "changed", fields: { article: null } }),
    ];
    await destination.deliver(report(1, { content: { fields: { order_no: 7.35, finished_at: true }, lines } }), never);
    const { writer } = erp.place;
    const one = (column: string, id: number) =>
      writer.one(`select ${column} from svcsync_return_lines where line_id = ${id}`);
    // As the database writes it: not every driver reads a decimal exactly.
    expect(await one("concat(amount, '')", 1)).toBe("12345678901234.5678");
    expect(await one("text", 1)).toBe("Übergröße 漢字 🔧 'x' \\ \"y\"");
    expect(await one("case when article = '' then 1 else 0 end", 1)).toBe("1");
    expect(await one("concat(amount, '')", 2)).toBe("-0.0001");
    expect(await one("case when article is null and text is null then 1 else 0 end", 2)).toBe("1");
    expect(await writer.one("select order_no from svcsync_returns")).toBe("7.35");
  });

  it("has states by the ERP's key, also where keys differ only in case, and shows the newest", async () => {
    await using erp = await inbox();
    await using destination = destinationIn(erp.source, states);
    const key = "kunde/ä|7";
    for (const item of [state(key), state("A"), state("a"), state(key, { version: 2, serviceId: 12 })])
      expect(await destination.deliver(item, never)).toBe("written");
    expect(Object.fromEntries(await destination.highest("customer-state", [key, "a", "A", "b"], never))).toEqual({
      A: 1,
      a: 1,
      [key]: 2,
    });
    expect(await erp.place.writer.one("select count(*) from svcsync_states_newest")).toBe("3");
    expect(await erp.place.writer.one("select max(service_id) from svcsync_states_newest")).toBe("12");
  });

  it("gives the answers to what was handed over, late, changed, and under another name", async () => {
    await using erp = await inbox();
    await using former = destinationIn(erp.source, reports, { installation: "former" });
    await using destination = destinationIn(erp.source);
    await former.deliver(report(1), never);
    for (const id of [2, 3, 4]) await destination.deliver(report(id), never);
    const ids: Return[] = [1, 2, 3, 4].map((id) => report(id));
    expect(await destination.answers(ids, never)).toEqual([undefined, undefined, undefined, undefined]);
    await erp.place.writer.run(`insert into svcsync_answers (return_id, result, document, message, answered_at) values
      ('former/reports/1/1', 'ok', 'RE-1', null, '2026-12-01 10:00:00'),
      ('prod/reports/2/1', 'REFUSED', null, 'unbekannter Artikel', '2026-12-01 10:00:00'),
      ('prod/reports/3/1', 'done', '', null, '2026-12-01 10:00:00'),
      ('prod/reports/999/1', 'ok', 'RE-9', null, '2026-12-01 10:00:00')`);
    expect(await destination.answers(ids, never)).toMatchObject([
      { result: "ok", document: "RE-1", message: undefined },
      { result: "refused", document: undefined, message: "unbekannter Artikel" },
      { result: "refused", message: expect.stringContaining('answered "done" instead of ok or refused') },
      undefined,
    ]);
    await erp.place.writer.run(
      "update svcsync_answers set result = 'ok', document = 'RE-2' where return_id = 'prod/reports/2/1'",
    );
    expect((await destination.answers(ids, never))[1]).toMatchObject({ result: "ok", document: "RE-2" });
    expect(await erp.place.writer.one("select count(*) from svcsync_open")).toBe("1");
  });

  it("does not get again what the ERP took, answered and deleted", async () => {
    await using erp = await inbox();
    await using destination = destinationIn(erp.source);
    await destination.deliver(report(1), never);
    await erp.place.writer
      .run(`insert into svcsync_answers (return_id, result, answered_at) values ('prod/reports/1/1', 'ok', '2026-12-01 10:00:00');
      delete from svcsync_return_lines; delete from svcsync_returns`);
    expect(await destination.deliver(report(1), never)).toBe("answered");
    expect((await destination.answers([report(1)], never))[0]).toMatchObject({ result: "ok" });
  });

  it("says so when a foreign job deleted a head and left its lines", async () => {
    await using erp = await inbox();
    await using destination = destinationIn(erp.source);
    await destination.deliver(report(1), never);
    await erp.place.writer.run("delete from svcsync_returns");
    await expect(destination.deliver(report(1), never)).rejects.toMatchObject({
      code: "E_RETURN_CONFLICT",
      message: expect.stringContaining("a part of it was deleted"),
    });
  });

  it("names the column that is missing, and takes what is handed over once it is there", async () => {
    await using erp = await inbox();
    const wider = { ...reports, columns: ["order_no", "finished_at", "custmer_no"] };
    await using destination = destinationIn(erp.source, wider);
    await erp.place.writer.run(addColumn(dialect, "svcsync_returns", "customer_no varchar(20) null"));
    const missing = {
      code: "E_RETURN_INBOX",
      details: {},
      message: expect.stringContaining("did you mean customer_no?"),
    };
    await expect(destination.deliver(report(1), never)).rejects.toMatchObject(missing);
    await erp.place.writer.run(addColumn(dialect, "svcsync_returns", "custmer_no varchar(20) null"));
    expect(await destination.deliver(report(1), never)).toBe("written");
  });

  it("names the table that is missing", async () => {
    await using erp = await inbox();
    await using destination = destinationIn(erp.source, {
      ...reports,
      to: { source: "erp", table: "svcsync_retruns" },
    });
    // Babelfish gives this error no number of SQL Server.
    const isNumbered = dialect !== "mssql" || !(await mssqlServer()).isBabelfish;
    await expect(destination.deliver(report(1), never)).rejects.toMatchObject({
      code: "E_RETURN_INBOX",
      details: {},
      message: expect.stringContaining(isNumbered ? "did you mean svcsync_returns?" : "svcsync_retruns"),
    });
  });
});

describe("an inbox in a schema of its own", () => {
  it.each(dialects.filter((dialect) => dialect !== "sqlite"))("is written in %s", async (dialect) => {
    await using erp = await open(dialect);
    const schema = `lane_${process.pid}`;
    const own: InboxStream = {
      ...reports,
      to: { source: "erp", table: `${schema}.returns`, lines: `${schema}.return_lines` },
      answers: { table: `${schema}.answers`, withinMs: 1 },
    };
    await erp.place.writer.run(withoutRights(dialect, inboxDdl(dialect, [own])));
    await using destination = destinationIn(erp.source, own);
    expect(await destination.check(never)).toContainEqual(expect.objectContaining({ verdict: "ok" }));
    expect(await destination.deliver(report(1), never)).toBe("written");
    expect(await destination.deliver(report(1), never)).toBe("present");
    expect(await erp.place.writer.one(`select count(*) from ${quotedName(`${schema}.open`, dialect)}`)).toBe("1");
    expect(await destination.answers([report(1)], never)).toEqual([undefined]);
  });
});

describe("an inbox of an ERP that svcsync only reads", () => {
  it("is refused, with the reason", () => {
    const sources = new Map([["erp", {}]]);
    expect(() => openDestination(reports, { sources, installation: "prod", clock: systemClock })).toThrow(
      /stream reports.*source erp.*only reads from this one/,
    );
  });
});

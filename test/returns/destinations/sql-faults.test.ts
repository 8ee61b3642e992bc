import { describe, expect, it } from "vitest";
import { RetryError, systemClock } from "#model";
import { SqlDestination } from "../../../src/returns/destinations/sql/sql-destination.ts";
import { SourceDatabase } from "../../../src/sources/sql/database.ts";
import { engineOf } from "../../../src/sources/sql/engines/engines.ts";
import type { Engine, WritingSession } from "../../../src/sources/sql/engines/engine.ts";
import { SqlInbox } from "../../../src/sources/sql/inbox/sql-inbox.ts";
import { settings } from "../../../src/sources/sql/settings.ts";
import { FaultyLink } from "../../kit/faulty-link.ts";
import { never, thrownBy } from "../../kit/outcome.ts";
import { mssqlServer } from "../../sources/sql/mssql/server.ts";
import { ownTls } from "../../sources/sql/opened.ts";
import { dialects, useServers } from "../../sources/sql/servers.ts";
import type { DialectName } from "../../sources/sql/shapes.ts";
import { beginOf } from "../../sources/sql/statements.ts";
import { openWriter } from "../../sources/sql/writer.ts";
import { destinationIn, report, reports, withInbox } from "./sql-inbox.ts";

const servers = useServers();
const steps = ["lines", "head", "commit"] as const;
type Step = (typeof steps)[number];

/** A session that loses its connection with the answer to one step: the server has done it. */
function cutting(
  session: WritingSession,
  isCut: (step: Step) => boolean,
  cut: () => void,
  before: (step: Step) => Promise<void>,
): WritingSession {
  const at = async (step: Step) => {
    await before(step);
    if (isCut(step)) cut();
  };
  return {
    async query(text, ...more) {
      if (/^insert into .svcsync_return_lines/.test(text)) await at("lines");
      if (/^insert into .svcsync_returns/.test(text)) await at("head");
      return await session.query(text, ...more);
    },
    async command(text, signal) {
      if (text === "commit") await at("commit");
      await session.command(text, signal);
    },
    get isSpent() {
      return session.isSpent === true;
    },
    end: () => session.end(),
    destroy: () => session.destroy(),
  };
}

/** An inbox behind a way that is cut where a test says so. */
async function behind(
  dialect: DialectName,
  url: string,
  isCut: (step: Step) => boolean,
  before: (step: Step) => Promise<void> = async () => undefined,
) {
  const stack = new AsyncDisposableStack();
  const port = Number(new URL(url).port);
  const link = dialect === "sqlite" ? undefined : stack.use(await FaultyLink.to(port));
  const linked = link === undefined ? url : url.replace(`:${port}/`, `:${link.port}/`);
  const parsed = settings.parse({ url: linked, ...ownTls(dialect) });
  const engine = engineOf(parsed);
  const cut = () => {
    if (link === undefined) throw Object.assign(new Error("the disk was cut off"), { code: "SQLITE_IOERR" });
    link.cutNextAnswer();
  };
  const cuttingEngine: Engine = {
    ...engine,
    inbox: { ...engine.inbox, connect: async () => cutting(await engine.inbox.connect(), isCut, cut, before) },
  };
  const database = stack.use(new SourceDatabase(cuttingEngine, { source: "erp", connections: 2 }));
  const tables = { adds: ["svcsync_returns", "svcsync_return_lines"], reads: ["svcsync_answers"] };
  const inbox = new SqlInbox(tables, { database, settings: parsed, clock: systemClock });
  const destination = stack.use(
    new SqlDestination({ inbox, stream: reports, installation: "prod", clock: systemClock }),
  );
  return { destination, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** How the ERP holds what svcsync needs to add this report, and lets it go. */
function holding(dialect: DialectName, serviceId: number): readonly [hold: string, letGo: string] {
  switch (dialect) {
    case "sqlite":
      return ["begin immediate", "rollback"];
    case "postgres":
      return ["begin; lock table svcsync_returns in access exclusive mode", "rollback"];
    case "mysql":
      return ["lock tables svcsync_returns write", "unlock tables"];
    case "mssql":
      return [
        `begin transaction; insert into svcsync_returns (return_id, stream, service_id, version, kind, line_count, content_hash)
          values ('of the ERP', 'reports', ${serviceId}, 1, 'fact', 0, '')`,
        "rollback",
      ];
  }
}

/** Selects how many sessions wait for a lock of another one. */
async function waitingOf(dialect: DialectName): Promise<string> {
  return dialect === "postgres" || (await mssqlServer()).isBabelfish
    ? "select count(distinct pid) from pg_locks where granted = 'f'"
    : "select count(*) from sys.dm_exec_requests where blocking_session_id <> 0 and database_id = db_id()";
}

describe.each(dialects)("handing over into %s", (dialect) => {
  it.each(steps)("has a report once, as a whole, when the connection is cut at %s", async (step) => {
    await using erp = await withInbox(await servers.open(dialect), dialect);
    let isDue = true;
    const isCut = (at: Step) => {
      if (at !== step || !isDue) return false;
      isDue = false;
      return true;
    };
    await using place = await behind(dialect, erp.place.url, isCut);
    const thrown = await thrownBy(place.destination.deliver(report(1), never));
    expect(thrown).toMatchObject({ code: "E_SOURCE_UNREACHABLE", outcomeUnknown: step === "commit" });
    expect(thrown).toBeInstanceOf(RetryError);
    const isCommitted = step === "commit" && dialect !== "sqlite";
    await expect.poll(() => erp.place.writer.one("select count(*) from svcsync_returns")).toBe(isCommitted ? "1" : "0");
    expect(await place.destination.deliver(report(1), never)).toBe(isCommitted ? "present" : "written");
    expect(await erp.place.writer.one("select count(*) from svcsync_returns")).toBe("1");
    expect(await erp.place.writer.one("select count(*) from svcsync_return_lines")).toBe("5");
  });

  it("is an attempt that failed while the ERP holds the table, and succeeds later", async () => {
    await using erp = await withInbox(await servers.open(dialect), dialect);
    await using destination = destinationIn(erp.source);
    await using job = await openWriter(erp.place.url);
    const [hold, letGo] = holding(dialect, 1);
    await job.run(hold);
    const isNumbered = dialect !== "mssql" || !(await mssqlServer()).isBabelfish;
    await expect(destination.deliver(report(1), never)).rejects.toMatchObject({
      // Babelfish gives this error no number of SQL Server.
      code: isNumbered ? "E_SOURCE_BUSY" : "E_RETURN_INBOX",
      family: isNumbered ? "retry" : "park",
      message: expect.stringMatching(/lock/i),
    });
    await job.run(letGo);
    expect(await destination.deliver(report(1), never)).toBe("written");
  });

  it.runIf(dialect === "postgres" || dialect === "mssql")(
    "is tried again after a deadlock with the ERP's job, and written once",
    async () => {
      await using erp = await withInbox(await servers.open(dialect), dialect);
      await using job = await openWriter(erp.place.url);
      if (dialect === "postgres") await job.run("set deadlock_timeout = '1h'");
      else if (!(await mssqlServer()).isBabelfish) await job.run("set deadlock_priority high");
      await using destination = destinationIn(erp.source);
      await job.run(`${beginOf(dialect)};
        insert into svcsync_returns (return_id, stream, service_id, version, kind, line_count, content_hash)
          values ('of the ERP', 'reports', 1, 1, 'fact', 0, '')`);
      const delivering = thrownBy(destination.deliver(report(1), never));
      const waiting = await waitingOf(dialect);
      await expect.poll(() => erp.place.writer.one(waiting)).toBe("1");
      const blocked =
        job.run(`insert into svcsync_return_lines (return_id, line_no, line_kind, line_id, ${dialect === "mssql" ? '"change"' : "change"})
        values ('prod/reports/1/1', 1, 'time', 1, 'added')`);
      expect(await delivering).toMatchObject({ code: "E_SOURCE_BUSY", family: "retry" });
      await blocked;
      await job.run("rollback");
      expect(await destination.deliver(report(1), never)).toBe("written");
      expect(await erp.place.writer.one("select count(*) from svcsync_return_lines")).toBe("5");
    },
  );

  it.runIf(dialect === "mssql")("shows a job that reads with NOLOCK a head only after all of its lines", async () => {
    await using erp = await withInbox(await servers.open(dialect), dialect);
    await using job = await openWriter(erp.place.url);
    const seen: string[] = [];
    const look = async (table: string) => job.one(`select count(*) from ${table} with (nolock)`);
    const dirty = (await mssqlServer()).isBabelfish ? ["0", "0"] : ["0", "5"];
    await using place = await behind(
      dialect,
      erp.place.url,
      () => false,
      async (step) => {
        if (step === "head") seen.push(await look("svcsync_returns"), await look("svcsync_return_lines"));
      },
    );
    expect(await place.destination.deliver(report(1), never)).toBe("written");
    expect(seen).toEqual(dirty);
  });

  it("ends with the signal while the ERP holds the table", async () => {
    await using erp = await withInbox(await servers.open(dialect), dialect);
    await using destination = destinationIn(erp.source);
    await using job = await openWriter(erp.place.url);
    await destination.deliver(report(1), never);
    await job.run(holding(dialect, 2)[0]);
    const stop = new AbortController();
    const delivering = destination.deliver(report(2), stop.signal);
    stop.abort(new Error("stopped"));
    await expect(delivering).rejects.toThrow("stopped");
  });

  it("has the ERP's job book each report once, whatever is cut, taken, answered and deleted", async () => {
    await using erp = await withInbox(await servers.open(dialect), dialect);
    await erp.place.writer.run("create table booked (return_id varchar(120), line_count int)");
    let calls = 0;
    await using place = await behind(dialect, erp.place.url, (step) => {
      calls++;
      return calls % 4 === 0 || (step === "commit" && calls % 3 === 0);
    });
    await using job = await openWriter(erp.place.url);
    const isOver = new AbortController();
    const take = async () => {
      const id = await job.one("select coalesce(min(return_id), '') from svcsync_open");
      if (id === "") return false;
      await job.run(`${beginOf(dialect)};
        insert into booked select return_id, (select count(*) from svcsync_return_lines l where l.return_id = r.return_id)
          from svcsync_returns r where r.return_id = '${id}';
        insert into svcsync_answers (return_id, result, document, answered_at) values ('${id}', 'ok', 'RE', '2026-12-01 10:00:00');
        delete from svcsync_return_lines where return_id = '${id}';
        delete from svcsync_returns where return_id = '${id}';
        commit`);
      return true;
    };
    const taking = (async () => {
      while ((await take()) || !isOver.signal.aborted) await new Promise(setImmediate);
    })();
    let cuts = 0;
    for (let id = 1; id <= 30; id++) {
      for (;;) {
        try {
          await place.destination.deliver(report(id), never);
          break;
        } catch (thrown) {
          if (!(thrown instanceof RetryError)) throw thrown;
          cuts++;
        }
      }
    }
    isOver.abort();
    await taking;
    expect(cuts).toBeGreaterThan(10);
    expect(await job.one("select count(*) from booked")).toBe("30");
    expect(await job.one("select count(distinct return_id) from booked")).toBe("30");
    expect(await job.one("select min(line_count) from booked")).toBe("5");
    const answers = await place.destination.answers(
      Array.from({ length: 30 }, (_, at) => report(at + 1)),
      never,
    );
    expect(answers.filter((answer) => answer?.result === "ok")).toHaveLength(30);
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { inboxDdl } from "../../../src/returns/destinations/sql/ddl.ts";
import { never } from "../../kit/outcome.ts";
import { useServers } from "../../sources/sql/servers.ts";
import { openWriter } from "../../sources/sql/writer.ts";
import { destinationIn, report, reports } from "./sql-inbox.ts";

const { open } = useServers();
const guide = readFileSync("docs/guides/returns-partner.md", "utf8");
const [job = "", refusal = ""] = [...guide.matchAll(/```sql\n(.*?)```/gs)].map(([, text]) => text);
const [begin = "", next = "", lines = "", book = "", commit = ""] = job.replaceAll(/^--.*$/gm, "").split(";");

/** An inbox in PostgreSQL with two versions of a report and one of another, and two jobs whose user has the rights that the guide names. */
async function scene() {
  const closing = new AsyncDisposableStack();
  const erp = closing.use(await open("postgres"));
  const stream = {
    ...reports,
    to: { source: "erp", table: "svcsync.returns", lines: "svcsync.return_lines" },
    answers: { table: "svcsync.answers", withinMs: 1 },
  };
  const { writer, url } = erp.place;
  const user = `job_${process.pid}`;
  await writer.run(inboxDdl("postgres", [stream]));
  await writer.run(`create role ${user} login; grant usage on schema svcsync to ${user};
    grant select on all tables in schema svcsync to ${user}; grant insert on svcsync.answers to ${user};
    grant update on svcsync.returns to ${user}`);
  closing.defer(() => writer.run(`drop owned by ${user}; drop role ${user}`));
  const destination = closing.use(destinationIn(erp.source, stream));
  for (const one of [report(1), report(1, { version: 2 }), report(2)]) await destination.deliver(one, never);
  const asJob = new URL(url);
  asJob.username = user;
  const jobs = [closing.use(await openWriter(asJob.href)), closing.use(await openWriter(asJob.href))] as const;
  return { jobs, destination, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

describe("the statements of the partner's guide", () => {
  it("let two jobs work at once, and give neither a version before the answer to the one before", async () => {
    await using inbox = await scene();
    const [one, other] = inbox.jobs;
    await one.run(begin);
    await other.run(begin);
    const first = await one.one(next);
    expect([first, await other.one(next)]).toEqual(["prod/reports/1/1", "prod/reports/2/1"]);
    await other.run("rollback");
    expect(await one.one(lines.replace(":id", `'${first}'`))).toBe(first);
    await one.run(book.replace(":id", `'${first}'`));
    await one.run(commit);
    expect(await other.one(next)).toBe("prod/reports/1/2");
    await other.run(refusal.replace(":id", "'prod/reports/1/2'"));
    expect(await inbox.destination.answers([report(1), report(1, { version: 2 })], never)).toMatchObject([
      { result: "ok", document: "RE-10023" },
      { result: "refused", message: "unknown article 4711" },
    ]);
  });
});

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "#model";
import { openStore, type Store } from "#store";
import { aReturn } from "../conformance/store-returns.ts";
import { silentLogger } from "../kit/logger.ts";
import { openWriter } from "../sources/sql/writer.ts";
import { openScene, type Scene } from "./scene.ts";

const held = {
  state: "held",
  error: { code: "E_RETURN_CORRECTION", message: "the report has changed", details: {} },
} as const;

async function withStore({ folder }: Scene, work: (store: Store) => Promise<unknown>): Promise<void> {
  const options = { as: "operator", clock: systemClock, logger: silentLogger } as const;
  await using store = await openStore(join(folder, "data"), options);
  await work(store);
}

/** A store with an accepted report, and a correction of it that waits for a person. */
async function heldCorrection(scene: Scene): Promise<void> {
  await withStore(scene, async ({ returns }) => {
    const first = aReturn("4711");
    await returns.prepare(first, { state: "prepared" });
    await returns.ended(first, { kind: "delivered" });
    await returns.answered(first, { result: "ok", document: "R-17", message: undefined, at: 1_000 }, false);
    const [line] = first.content.lines;
    const lines = [{ ...line!, change: "changed", amount: "2", amountBefore: "1.5" } as const];
    await returns.prepare(aReturn("4711", 2, { content: { ...first.content, lines } }), held);
  });
}

describe("svcsync returns", () => {
  it("says that nothing goes back where the sync file has no returns, and that of an old stream something is open", async () => {
    await using scene = await openScene();
    expect(await scene.run("returns")).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing goes back") });
    await heldCorrection(scene);
    const { stdout } = await scene.run("returns");
    expect(stdout).toContain("reports");
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("reports: 1 return of it open");
    const json = JSON.parse((await scene.run("returns", "--json")).stdout);
    expect(json.streams).toMatchObject([{ name: "reports", state: "unlisted", counts: { held: 1, accepted: 1 } }]);
    expect(JSON.parse((await scene.run("status", "--json")).stdout).returns).toEqual(json.streams);
    expect((await scene.run("status")).stdout).toContain("back to the ERP");
  });

  it("lists what is not settled, or the states that are asked for", async () => {
    await using scene = await openScene();
    await heldCorrection(scene);
    const { stdout } = await scene.run("returns", "reports");
    expect(stdout).toContain("reports/4711/2");
    expect(stdout).not.toContain("reports/4711/1");
    const [accepted] = (await scene.run("returns", "reports", "--state", "accepted", "--json")).stdout.split("\n");
    expect(JSON.parse(accepted!)).toMatchObject({ subject: "4711", version: 1, answer: { document: "R-17" } });
    expect(await scene.run("returns", "report")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("E_RETURN_UNKNOWN"),
    });
  });

  it("shows what one says, what differs, and the versions", async () => {
    await using scene = await openScene();
    await heldCorrection(scene);
    const { code, stdout } = await scene.run("returns", "show", "reports/4711");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^reports\/4711\/2 \(correction\) is held\. A person decides/);
    expect(stdout).toContain("it replaces version 1");
    expect(stdout).toContain('"svcsync returns send reports/4711"');
    expect(stdout).toContain("order_no: A-1");
    expect(stdout).toMatch(/time +5 +changed +2 \(before: 1\.5\)/);
    expect(stdout).toContain("1 fact: accepted");
    const first = JSON.parse((await scene.run("returns", "show", "reports/4711/1", "--json")).stdout);
    expect(first).toMatchObject({ version: 1, state: "accepted", versions: [{ version: 2 }, { version: 1 }] });
  });

  it("sends one, once, and remembers who did", async () => {
    await using scene = await openScene();
    await heldCorrection(scene);
    const sent = await scene.run("returns", "send", "reports/4711", "--why", "looked", "--as", "anna", "--json");
    expect([sent.code, JSON.parse(sent.stdout)]).toEqual([0, { return: "reports/4711/2", done: "send" }]);
    await withStore(scene, async ({ returns }) =>
      expect((await returns.one(aReturn("4711", 2)))?.state).toBe("prepared"),
    );
    expect((await scene.run("returns", "show", "reports/4711")).stdout).toContain(
      'send, version 2, by anna (command): "looked"',
    );
    const again = await scene.run("returns", "send", "reports/4711/2");
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining("reports/4711/2 is prepared, so nothing was done"),
    ]);
  });

  it("withdraws one after a confirmation alone", async () => {
    await using scene = await openScene();
    await heldCorrection(scene);
    expect((await scene.run("returns", "withdraw", "reports/4711")).code).toBe(64);
    expect((await scene.run("returns", "withdraw", "reports/4711", "--yes")).code).toBe(0);
    await withStore(scene, async ({ returns }) =>
      expect((await returns.one(aReturn("4711", 2)))?.state).toBe("withdrawn"),
    );
  });

  it("refuses a stream of returns that the sync file does not have", async () => {
    await using scene = await openScene();
    const { code, stderr } = await scene.run("returns", "pause", "reports");
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("reports is no stream of returns; the sync file has none"),
    ]);
  });
});

const inbox = `
returns:
  reports:
    resource: svcDocument
    when: approved
    to: { source: erp, table: svcsync_returns, lines: svcsync_return_lines }
    answers: { table: svcsync_answers, within: 24h }
    fields: { order_no: erpReferenceNumber }
    lines: [{ each: travelLogs, kind: travel, amount: distance, fields: { text: comment } }]
`;

describe("the inbox of a sync file", () => {
  it("is made by the statements of ddl, and found in order by check", async () => {
    await using scene = await openScene();
    await scene.edit((text) => `${text}${inbox}`);
    const { code, stdout: ddl } = await scene.run("returns", "ddl", "--dialect", "sqlite");
    expect(code).toBe(0);
    expect(ddl).toContain('create table "svcsync_returns"');
    expect((await scene.run("check")).stdout).toContain("source erp has no table svcsync_returns");
    await using erp = await openWriter(`sqlite:${scene.erp.path}`);
    await erp.run(ddl);
    expect((await scene.run("check")).stdout.replaceAll(/\s+/g, " ")).toContain(
      "rows can be added to svcsync_returns and svcsync_return_lines, each return once; answers are read from svcsync_answers",
    );
    expect(await erp.one("select count(*) from svcsync_returns")).toBe("0");
  });

  it("needs not be there for show to say why a report was not returned", async () => {
    await using scene = await openScene();
    await scene.edit((text) => `${text}${inbox}`);
    const { people } = scene.sandbox;
    const customer = scene.sandbox.seed("customer", [{ name: "Huber", customerId: "K-1" }])[0]!.id;
    const { id } = people.approvedReport({ customer });
    const show = async (subject: number) => scene.run("returns", "show", `reports/${subject}`);
    expect((await show(id)).stdout.replaceAll(/\s+/g, " ")).toContain("svcsync has not run with this stream");
    await withStore(scene, ({ returns }) => returns.saveMark("reports", { beginAt: Date.UTC(2100, 0) }));
    const { code, stdout } = await show(id);
    expect([code, stdout.replaceAll(/\s+/g, " ")]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^reports/${id} is not returned: it was final at .*begins at 2100-01-01`)),
    ]);
    await withStore(scene, ({ returns }) => returns.saveMark("reports", { beginAt: 0 }));
    expect((await show(id)).stdout).toContain("svcsync has not looked at it yet");
    people.takeBack(id);
    expect((await show(id)).stdout.replaceAll(/\s+/g, " ")).toContain("`when` of the stream is not true");
    expect(await show(999_999_999)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is no such record"),
    });
  });

  it("is not explained by the service where the store cannot be read", async () => {
    await using scene = await openScene();
    await scene.edit((text) => `${text}${inbox}`);
    const customer = scene.sandbox.seed("customer", [{ name: "Huber", customerId: "K-1" }])[0]!.id;
    const { id } = scene.sandbox.people.approvedReport({ customer });
    await withStore(scene, async () => {});
    await using file = await openWriter(`sqlite:${join(scene.folder, "data", "svcsync.db")}`);
    await file.run("alter table returns rename to unreadable");
    const { code, stdout, stderr } = await scene.run("returns", "show", `reports/${id}`);
    expect([code === 0, stdout]).toEqual([false, ""]);
    expect(stderr).toContain("no such table");
  });

  it("is nothing where the sync file has no returns", async () => {
    await using scene = await openScene();
    expect(await scene.run("returns", "ddl", "--dialect", "sqlite")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("names a table"),
    });
  });
});

describe("svcsync sync with a way back", () => {
  it("fails, and says why, where it needs a person", async () => {
    await using scene = await openScene();
    await scene.edit((text) => text + inbox);
    await heldCorrection(scene);
    const { code, stdout } = await scene.run("sync");
    expect(code).toBe(1);
    expect(stdout).toContain("1 return held for a person");
    const json = await scene.run("sync", "--json");
    expect(JSON.parse(json.stdout).returns).toMatchObject([{ name: "reports", troubles: [{ kind: "held" }] }]);
  });
});

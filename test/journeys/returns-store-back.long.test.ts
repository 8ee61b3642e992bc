import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { StoredReturn } from "#store";
import { postgresServer, startPostgres } from "../setup/postgres.ts";
import { ask } from "../store/postgres-place.ts";
import { Replica } from "./replica.ts";
import {
  adopt,
  approve,
  customerInBoth,
  erpJob,
  inboxCounts,
  inboxSyncFile,
  makeInbox,
  numbered,
  use,
} from "./returns-inbox.ts";
import { setStage, until, type Stage } from "./stage.ts";

const inbox = postgresServer();
afterAll(() => inbox.end());

async function ownDatabase(name: string): Promise<string> {
  const url = new URL(await inbox.url());
  await ask(url.href, `CREATE DATABASE ${name}`);
  url.pathname = name;
  return url.href;
}

/** The approval is taken back, an hour is changed, and the report is approved again. */
function change({ sandbox }: Stage, id: number): void {
  sandbox.people.takeBack(id);
  sandbox.people.changeLine("svcDocument", id, "edit");
  sandbox.people.act(id, "approve");
}

/** What waits for a person, with nothing else to be done. */
async function untilHeld(stage: Stage, ...ids: number[]): Promise<readonly StoredReturn[]> {
  await using store = await stage.store();
  return await until(`${ids.join(", ")} wait for a person`, async () => {
    const open = await store.returns.find({ states: ["prepared", "delivered", "blocked"], limit: 1 });
    const held = await store.returns.find({ states: ["held", "uncertain", "refused"], limit: 10 });
    const subjects = held.map(({ subject }) => subject).toSorted();
    return open.length === 0 && subjects.join() === ids.map(String).toSorted().join() && held;
  });
}

/** A person sends what is held, and the ERP answers it. */
async function sendHeld(stage: Stage, ...ids: number[]): Promise<void> {
  for (const { stream, subject, version } of await untilHeld(stage, ...ids))
    expect(await stage.command("returns", "send", `${stream}/${subject}/${version}`)).toMatchObject({ code: 0 });
  await untilHeld(stage);
}

/** All versions that the inbox has ever had of a subject. */
async function versionsOf(url: string, id: number): Promise<string[]> {
  const rows = await ask<{ id: string }>(
    url,
    `SELECT return_id AS id FROM svcsync_returns UNION SELECT return_id FROM svcsync_answers`,
  );
  const versions = rows
    .map((row) => row.id.split("/"))
    .flatMap(([, , of, version]) => (of === String(id) ? [version!] : []));
  return versions.toSorted();
}

describe("the store of a daemon that hands over reports", () => {
  it("is put back to an older copy while it works: nothing comes twice, what neither copy nor inbox knows waits for a person", async () => {
    await using server = await startPostgres();
    const inboxUrl = await ownDatabase("put_back");
    await using stage = await setStage({
      syncFile: await inboxSyncFile(),
      environment: { POLL_INTERVAL_SECONDS: "1", STORE_URL: server.url, INBOX_URL: inboxUrl },
    });
    const { sandbox } = stage;
    await makeInbox(stage, inboxUrl);
    const customer = await customerInBoth(stage);
    const working = new AbortController();
    const erp = erpJob(inboxUrl, working.signal);
    try {
      const arrived = async () => (await inboxCounts(inboxUrl)).facts;
      await using first = await Replica.start(stage, "first");
      await until("it is ready", () => first.isReady());
      const [gone = 0, changed = 0] = approve(stage, customer, 1, 10);
      await until("the first ones are invoiced", () => numbered(stage) === 10);
      await untilHeld(stage);
      await server.copy();

      sandbox.people.takeBack(gone);
      change(stage, changed);
      await sendHeld(stage, gone, changed);
      const known = await arrived();
      expect(known).toBe(12);
      // What the inbox still has as svcsync would write it is found there, and waits for nobody.
      for (const table of ["svcsync_return_lines", "svcsync_returns"])
        await ask(inboxUrl, `DELETE FROM ${table} WHERE return_id LIKE '%/2'`);
      approve(stage, customer, 11, 40);
      await until("it is in the middle of them", async () => (await arrived()) >= known + 10);
      await server.failOver();
      expect(await first.exitCode()).not.toBe(0);
      expect(first.log).toContain("E_STORE_REWOUND");

      approve(stage, customer, 41, 45);
      await using second = await Replica.start(stage, "second");
      await until("it is ready", () => second.isReady());
      await until("all that is approved is invoiced", () => numbered(stage) >= 43);
      await untilHeld(stage, gone, changed);
      expect(await inboxCounts(inboxUrl)).toEqual({ facts: 47, subjects: 47, half: 0 });
      await sendHeld(stage, gone, changed);
      expect(await versionsOf(inboxUrl, gone)).toEqual(["1", "2"]);
      expect(await versionsOf(inboxUrl, changed)).toEqual(["1", "2"]);
      await until("the changed one is invoiced, too", () => numbered(stage) === 44);
    } finally {
      working.abort();
      await erp;
    }
    expect(await inboxCounts(inboxUrl)).toEqual({ facts: 47, subjects: 47, half: 0 });
  });

  it("is lost while it works: nothing comes twice, what has changed since waits for a person", async () => {
    const inboxUrl = await ownDatabase("lost");
    const syncFile = (await inboxSyncFile()).replace("every: 1s", "every: 1s\n    begin: 2020-01-01");
    await using stage = await setStage({
      syncFile,
      environment: { POLL_INTERVAL_SECONDS: "1", INBOX_URL: inboxUrl },
    });
    await makeInbox(stage, inboxUrl);
    await use(stage, "daemon");
    const customer = await customerInBoth(stage);
    const working = new AbortController();
    const erp = erpJob(inboxUrl, working.signal, { deletes: false });
    try {
      const arrived = async () => (await inboxCounts(inboxUrl)).facts;
      const [gone = 0, changed = 0] = approve(stage, customer, 1, 10);
      {
        await using first = await Replica.start(stage, "daemon");
        await until("the first ones are invoiced", () => numbered(stage) === 10);
        stage.sandbox.people.takeBack(gone);
        await sendHeld(stage, gone);
        approve(stage, customer, 11, 40);
        await until("it is in the middle of them", async () => (await arrived()) >= 20);
        await rm(join(stage.folder, "daemon"), { recursive: true });
        first.kill("SIGKILL");
      }
      change(stage, changed);
      await adopt(stage);
      await using _second = await Replica.start(stage, "daemon");
      await until("all others are invoiced", () => numbered(stage) >= 38);
      const [held] = await untilHeld(stage, changed);
      expect(held).toMatchObject({ version: 2, replaces: 1, error: { code: "E_RETURN_CONFLICT" } });
      expect(await inboxCounts(inboxUrl)).toEqual({ facts: 41, subjects: 41, half: 0 });
      await sendHeld(stage, changed);
      await until("the changed one is invoiced, too", () => numbered(stage) === 39);
      expect(await versionsOf(inboxUrl, gone)).toEqual(["1", "2"]);
      expect(await versionsOf(inboxUrl, changed)).toEqual(["1", "2"]);
    } finally {
      working.abort();
      await erp;
    }
    expect(await inboxCounts(inboxUrl)).toEqual({ facts: 42, subjects: 42, half: 0 });
  });
});

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { hashPassword } from "#web";
import { customersStream } from "../setup/customers-stream.ts";
import { pem } from "../kit/http.ts";
import { startMailServer } from "../setup/mail-server.ts";
import { Person } from "./page-person.ts";
import { only, setStage, texts, until, untilHeld, untilState, type Running, type Stage } from "./stage.ts";

const password = "anna's long password";
const token = "a-token-of-the-page-1234";
const hash = await hashPassword(password);
const by = { name: "anna", via: "page" };

const syncFile = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream("{ from: status, map: { A: Active } }")}    deleted: { when: "deleted = 1", delete: true }
`;

const environment = {
  PAGE_USERS: `anna:act:${hash}`,
  PAGE_TOKEN: token,
  CHANGE_GUARD_PERCENT: "10",
  CHANGE_GUARD_COUNT: "2",
  DELETE_GUARD_PERCENT: "10",
  DELETE_GUARD_COUNT: "2",
  DELETE_GUARD_FLOOR: "1",
};

const customer = (key: string) => ({ stream: "customers", key });
const acted = z.object({ acts: z.array(z.looseObject({ action: z.string(), key: z.string() })) });

/** A program with the token: JSON in, JSON out. */
async function call(url: string, path: string, body?: object): Promise<{ status: number; answer: unknown }> {
  const response = await fetch(`${url}/api${path}`, {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  return { status: response.status, answer: await response.json() };
}

/** What the API says that people did, oldest first; tries before and after the end of a minute as one. */
async function actsOf(url: string) {
  const acts = acted.parse((await call(url, "/acts")).answer).acts.toReversed();
  return acts.filter(({ action }, at) => action !== "retry" || acts[at - 1]?.action !== "retry");
}

/** A running daemon whose stream waits for a decision about existing records, and a person at its page. */
async function held(stage: Stage): Promise<{ running: Running; url: string; anna: Person }> {
  const { erp, sandbox } = stage;
  const customerStatus = only(sandbox, "customerStatus", "name", "Active").id;
  const seed = (customerId: string, name: string) => ({ customerId, name, customerStatus });
  sandbox.seed("customer", [
    seed("10001", "Eins"),
    seed("10001", "Eins (alt)"),
    seed("10002", "Zwei"),
    seed("10002", "Zwei (alt)"),
    seed("10003", "Von Hand"),
  ]);
  for (let at = 1; at <= 12; at++)
    erp.insertCustomer({ customer_no: String(10_000 + at), status: at === 4 || at === 5 ? "P" : "A" });
  const running = await stage.start();
  await untilHeld(running.store, "customers");
  const url = running.daemon.url!;
  return { running, url, anna: await Person.login(url, "anna", password) };
}

describe("a person at the page", () => {
  it("decides, answers and repairs; each act does what it says and is written down with who, when and why", async () => {
    await using mail = await startMailServer({ login: { user: "svcsync", password: "s3cret" } });
    const mailed = {
      NOTIFY_EMAIL_TO: "operator@example.com",
      NOTIFY_EMAIL_MIN: "problem",
      SMTP_URL: `smtp://localhost:${mail.port}`,
      SMTP_USERNAME: "svcsync",
      SMTP_PASSWORD: "s3cret",
      SMTP_CA_FILE: pem("authority"),
    };
    await using stage = await setStage({ syncFile, environment: { ...environment, ...mailed } });
    const { running: started, url, anna } = await held(stage);
    await using running = started;
    const { store } = running;
    const { sandbox, erp } = stage;

    // Existing records: nothing is released before both sides were compared and somebody said yes.
    expect(await anna.look("/")).toContain('href="/adoption"');
    expect(await anna.send("/adoption", "/adoption/compare")).toMatchObject({ status: 303, location: "/adoption" });
    const report = await until("both sides are compared", async () => {
      const page = await anna.look("/adoption");
      return page.includes("Compared") && page;
    });
    expect(report).toMatch(/<strong>2<\/strong>\s*ambiguous/);
    expect(report).toContain("Eins (alt)");
    const adopt = "/streams/customers/adopt";
    expect((await anna.sendFrom(report, adopt)).status).toBe(409);
    expect(await anna.sendFrom(report, adopt, { why: "looked", confirm: "yes" })).toMatchObject({ status: 303 });
    expect((await call(url, adopt, { why: "again", confirm: true })).answer).toMatchObject({
      error: expect.stringContaining("does not wait for a decision"),
    });
    await untilState(store, "applied", customer("10003"), customer("10012"));
    await untilState(store, "parked", customer("10001"), customer("10002"), customer("10004"), customer("10005"));

    // One of several of the service: both sides are shown first, then bound.
    const meant = sandbox.records("customer").find(({ name }) => name === "Eins")!.id;
    const bind = "/records/customers/10001/bind";
    const sides = await anna.send("/records/customers/10001", bind, { serviceId: String(meant), why: "the first" });
    expect([sides.status, sides.text]).toEqual([200, expect.stringContaining("Are these the same?")]);
    expect((await store.record(customer("10001")))!.binding).toBeUndefined();
    expect(await anna.sendFrom(sides.text, bind)).toMatchObject({ status: 303 });
    await untilState(store, "applied", customer("10001"));
    // None of them is it: by a program, which has to mean it.
    const create = "/records/customers/10002/create";
    expect((await call(url, create, {})).status).toBe(409);
    expect((await call(url, create, { why: "a new one", confirm: true })).status).toBe(200);
    await untilState(store, "applied", customer("10002"));
    expect(sandbox.records("customer").filter(({ customerId }) => customerId === "10002")).toHaveLength(3);

    // A cause and its records.
    const group = /action="\/groups\/([0-9a-f]{8})\/note"/.exec(await anna.look("/"))![1]!;
    expect(await anna.send("/", `/groups/${group}/note`, { note: "ask Ben", snoozeHours: "24" })).toMatchObject({
      status: 303,
    });
    expect(await anna.look("/")).toContain("ask Ben");
    expect((await anna.send("/", `/groups/${group}/retry`)).status).toBe(303);
    await until(
      "both are tried and parked again",
      async () => (await store.groups.held({ stream: "customers", state: "parked", limit: 9 })).length === 2,
    );
    expect((await anna.send("/records/customers/10004", "/records/customers/10004/retry")).status).toBe(303);
    await untilState(store, "parked", customer("10004"));
    expect(
      (await anna.send("/records/customers/10005", "/records/customers/10005/skip", { why: "not ours" })).status,
    ).toBe(303);
    await untilState(store, "skipped", customer("10005"));
    expect((await call(url, "/records/customers/10006/reread", {})).answer).toMatchObject({ done: "reread" });

    // A binding that was wrong.
    const { serviceId } = (await store.record(customer("10003")))!.binding!;
    const wrong = { why: "wrong one", confirm: "yes" };
    expect((await anna.send("/records/customers/10003", "/records/customers/10003/unbind", wrong)).status).toBe(303);
    await untilState(store, "parked", customer("10003"));
    const bound = await call(url, "/records/customers/10003/bind", { serviceId, confirm: true });
    expect(bound).toMatchObject({ status: 200, answer: { isBound: true } });
    await untilState(store, "applied", customer("10003"));

    // A pause holds what changes; resume lets it go.
    expect((await anna.send("/", "/streams/customers/pause", { hours: "1", why: "ERP upgrade" })).status).toBe(303);
    await until("the page says so", async () => (await anna.look("/")).includes("delivery is paused by anna"));
    expect(running.daemon.holds.isHeld("customers")).toBe(true);
    erp.renameCustomer("10012", "Neuer Name");
    await until(
      "the poll brings the name",
      async () => (await store.record(customer("10012")))!.row["name1"] === "Neuer Name",
    );
    expect(texts(sandbox, "customer", "name")).not.toContain("Neuer Name");
    expect((await anna.send("/", "/streams/customers/resume")).status).toBe(303);
    await until("the name arrives", () => texts(sandbox, "customer", "name").includes("Neuer Name"));
    const past = await call(url, "/streams/customers/pause", { hours: -1 });
    expect(past).toMatchObject({
      status: 409,
      answer: { code: "E_PAUSE_TIME", error: expect.stringContaining("in the past") },
    });

    // A poll now; that it polls is shown where no other poll comes.
    expect((await anna.send("/", "/streams/customers/poll")).status).toBe(303);
    expect((await call(url, "/streams/customers/poll", { why: "a call" })).answer).toEqual({
      stream: "customers",
      done: "poll",
    });

    // A test message.
    const told = () => mail.mails.filter(({ subject }) => subject.includes("Test message")).length;
    expect((await anna.send("/", "/notify/test")).text).toContain("email: delivered");
    expect((await call(url, "/notify/test", { why: "new server" })).answer).toEqual({
      channels: [{ channel: "email", isDelivered: true }],
    });
    expect(told()).toBe(2);

    // More deletions than the deletion guard allows.
    for (const key of ["10006", "10007", "10008", "10009"]) erp.flagDeleted("customers", [key]);
    await until("they are held", async () => (await anna.look("/")).includes('href="/streams/customers/deletions"'));
    const deletions = "/streams/customers/deletions";
    await until("all are counted", async () => (await anna.look(deletions)).includes("Delete 4 records"));
    expect(await anna.look(deletions)).toContain("customers/10009");
    expect((await call(url, deletions, { count: 3, why: "closed", confirm: true })).status).toBe(409);
    expect((await anna.send(deletions, deletions, { why: "closed", confirm: "yes" })).status).toBe(303);
    await until(
      "they are deleted",
      () => !texts(sandbox, "customer", "customerId").some((id) => id >= "10006" && id <= "10009"),
    );

    const api = { name: "PAGE_TOKEN", via: "api" };
    expect(await actsOf(url)).toMatchObject([
      { action: "release", outcome: "adopt", by: { ...by, why: "looked" } },
      { action: "resolve", outcome: "bind", key: "10001", by: { ...by, why: "the first" } },
      { action: "resolve", outcome: "create", key: "10002", by: { ...api, why: "a new one" } },
      { action: "note", outcome: `group ${group}: note, snooze`, by },
      { action: "retry", by },
      { action: "resolve", outcome: "skip", key: "10005", by: { ...by, why: "not ours" } },
      { action: "reread", outcome: "10006", by: api },
      { action: "unbind", key: "10003", by: { ...by, why: "wrong one" } },
      { action: "resolve", outcome: "bind", key: "10003", by: api },
      { action: "pause", by: { ...by, why: "ERP upgrade" } },
      { action: "resume", by },
      { action: "poll", by },
      { action: "poll", by: { ...api, why: "a call" } },
      { stream: "", action: "notify", outcome: "test, email: delivered", by },
      { stream: "", action: "notify", by: { ...api, why: "new server" } },
      { action: "deletions", outcome: "confirmed 4 of 12", by: { ...by, why: "closed" } },
    ]);
    expect(await anna.look("/")).toContain("svcsync: notify (test, email: delivered)");
  });

  it("confirms the plan that the page shows, and no plan of yesterday", async () => {
    await using stage = await setStage({ syncFile, environment });
    for (let at = 1; at <= 12; at++) stage.erp.insertCustomer({ customer_no: String(10_000 + at), name2: `Z${at}` });
    expect((await stage.command("sync")).code).toBe(0);
    await stage.edit((text) => text.replace("name: name1", "name: name2"));
    await using running = await stage.start();
    const url = running.daemon.url!;
    const anna = await Person.login(url, "anna", password);
    const path = "/streams/customers/plan";
    const old = await until("the plan is counted", async () => {
      const page = await anna.look(path);
      return page.includes("Write 12 updates") && page;
    });
    expect(old).toContain("Kunde 10001");
    expect(old).toContain("Z1");
    expect((await call(url, path)).answer).toMatchObject({ plan: { updates: 12, known: 12, isHeld: true } });
    expect((await call(url, path, { why: "x", confirm: true })).status).toBe(400);

    stage.erp.change("customers", ["10001"], { name2: "Changed meanwhile" });
    await until(
      "the change is read",
      async () => (await running.store.record(customer("10001")))!.row["name2"] !== "Z1",
    );
    const sure = { why: "second names", confirm: "yes" };
    const refused = await anna.sendFrom(old, path, sure);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("is not what would be written now")]);
    expect(refused.text).toContain(`href="${path}"`);
    expect(texts(stage.sandbox, "customer", "name")).toContain("Kunde 10001");

    const fresh = await anna.look(path);
    expect(fresh).toContain("Changed meanwhile");
    expect((await anna.sendFrom(fresh, path, sure)).status).toBe(303);
    await until("the names are written", () => texts(stage.sandbox, "customer", "name").includes("Changed meanwhile"));
    const [act] = await actsOf(url);
    expect(act).toMatchObject({
      action: "plan",
      outcome: expect.stringContaining("12 of 12"),
      by: { ...by, why: "second names" },
    });
    expect(await anna.look(path)).toMatch(/The next run changes nothing|This is written next/);
  });
});

import { expect, it, describe } from "vitest";
import { customersAndShop, customersStream } from "../setup/customers-stream.ts";
import { startMailServer } from "../setup/mail-server.ts";
import { pem, startWebServer } from "../kit/http.ts";
import { multiplyRecord } from "./many-records.ts";
import { setStage, texts, until, untilState } from "./stage.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const mailSettings = (port: number) => ({
  NOTIFY_NAME: "Example",
  NOTIFY_EMAIL_TO: "operator@example.com",
  NOTIFY_REMIND_EVERY: "1d",
  SMTP_URL: `smtp://localhost:${port}`,
  SMTP_USERNAME: "svcsync",
  SMTP_PASSWORD: "s3cret",
  SMTP_CA_FILE: pem("authority"),
});

/** The clocks of a daemon, which a test puts forward. */
function forwardable() {
  let passedMs = 0;
  const clock = { now: () => Date.now() + passedMs };
  const elapsed = () => performance.now() + passedMs;
  const later = (ms: number) => {
    passedMs += ms;
  };
  return { later, timing: { clock, elapsed, upkeepEveryMs: 20 } };
}

describe("a key of the ERP that expires on a Friday night", () => {
  it("is one message with cause and remedy, reminders, and a message when it is over; nothing is lost", async () => {
    const rows = [{ id: "1", name: "Käufer eins" }];
    let isExpired = false;
    await using shop = await startWebServer(() => (isExpired ? { status: 401 } : { body: { rows } }));
    await using mail = await startMailServer({ login: { user: "svcsync", password: "s3cret" } });
    await using stage = await setStage({
      syncFile: customersAndShop(shop.url),
      environment: mailSettings(mail.port),
    });
    const tested = await stage.command("notify", "--test", "--as", "ben", "--why", "new server");
    expect(tested).toEqual({ code: 0, stdout: "email: delivered\n", stderr: "" });
    expect((await stage.command("history", "--acts")).stdout).toMatch(
      /ben \(command\).*svcsync: notify \(test, email: delivered\).*new server/,
    );
    stage.erp.insertCustomer({ customer_no: "10001" });
    const { later, timing } = forwardable();
    const told = () => mail.mails.slice(1).map(({ subject }) => subject);
    const first = "[svcsync Example] shop: the polls of buyers fail";
    const reminder = "[svcsync Example] Still: shop: the polls of buyers fail";
    {
      await using running = await stage.start(timing);
      await untilState(running.store, "applied", { stream: "buyers", key: "1" });

      isExpired = true;
      rows.push({ id: "2", name: "Käufer zwei" });
      await until("the shop refuses the key", async () => (await running.store.stream("buyers")).error !== undefined);
      await until("the trouble was seen", async () => (await running.store.notices.notices()).length > 0);
      expect(told()).toEqual([]);
      later(MINUTE);
      await until("the message arrived", () => told().length === 1);
    }
    expect(told()).toEqual([first]);
    const { text, to } = mail.mails[1]!;
    expect(to).toEqual(["operator@example.com"]);
    expect(text).toContain("(E_SOURCE_LOGIN)");
    expect(text).toContain("Affected: buyers");
    expect(text).toContain("What to do: Correct the user, password, token or key of the source");

    // A restart on Saturday repeats nothing; Sunday and Monday bring a reminder each.
    await using running = await stage.start(timing);
    for (let hour = 0; hour < 60; hour += 6) {
      later(6 * HOUR);
      const now = timing.clock.now();
      await until("the daemon looked", async () => {
        const [notice] = await running.store.notices.notices();
        return notice?.told !== undefined && now - notice.told.at < 24 * HOUR;
      });
    }
    await until("two reminders arrived", () => told().length === 3);
    expect(told()).toEqual([first, reminder, reminder]);

    isExpired = false;
    later(2 * HOUR);
    await untilState(running.store, "applied", { stream: "buyers", key: "2" });
    await until("the end was seen", async () => (await running.store.notices.notices())[0]?.goneAt !== undefined);
    later(5 * MINUTE);
    await until("the recovery arrived", () => told().length === 4);
    expect(told().at(-1)).toBe("[svcsync Example] Resolved: shop: the polls of buyers fail");
    expect(stage.sandbox.records("customer")).toHaveLength(3);
  });
});

const customersByStatus = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream("status")}`;

describe("records that are parked while the daemon runs", () => {
  it("are one digest a minute later, whatever was parked before, and resolved when they are delivered", async () => {
    await using mail = await startMailServer({ login: { user: "svcsync", password: "s3cret" } });
    await using stage = await setStage({ syncFile: customersByStatus, environment: mailSettings(mail.port) });
    const { later, timing } = forwardable();
    const subjects = () => mail.mails.map(({ subject }) => subject);
    const insert = (customer_no: string, status: "P" | "I") => stage.erp.insertCustomer({ customer_no, status });
    await using running = await stage.start(timing);
    const causes = async () => (await running.store.notices.notices()).filter(({ kind }) => kind === "parked");

    insert("10001", "P");
    await until("the first cause was seen", async () => (await causes()).length === 1);
    insert("10002", "I");
    insert("10003", "I");
    await until("the second cause was seen", async () => (await causes()).some(({ count }) => count === 2));
    expect(subjects()).toEqual([]);
    later(MINUTE);
    await until("the digest arrived", () => subjects().length === 1);
    expect(subjects()).toEqual(["[svcsync Example] customers: 2 records are parked (and 1 other)"]);

    for (const customer_no of ["10001", "10002", "10003"])
      stage.erp.change("customers", [customer_no], { status: "Active" });
    await until("the end was seen", async () => (await causes()).every(({ goneAt }) => goneAt !== undefined));
    later(2 * MINUTE);
    await until("the recovery arrived", () => subjects().length === 2);
    expect(subjects()[1]).toMatch(/Resolved: customers: . records? (is|are) parked \(and 1 other\)$/);
  });
});

describe("a mapping that is edited by mistake so that many names would change", () => {
  it('is held and told with the plan, and "resolved" arrives after the file is put right', async () => {
    await using mail = await startMailServer({ login: { user: "svcsync", password: "s3cret" } });
    await using stage = await setStage({
      syncFile: `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream()}`,
      environment: { ...mailSettings(mail.port), CHANGE_GUARD_COUNT: "2" },
    });
    for (let at = 1; at <= 12; at++)
      stage.erp.insertCustomer({ customer_no: String(10_000 + at), name1: `Kunde ${at}` });
    expect((await stage.command("sync")).code).toBe(0);
    const names = texts(stage.sandbox, "customer", "name");
    const { later, timing } = forwardable();
    const subjects = () => mail.mails.map(({ subject }) => subject);

    await stage.edit((text) => text.replace("name: name1", "name: customer_no"));
    {
      await using running = await stage.start(timing);
      await until("the guard has a plan", async () =>
        (await running.store.notices.notices()).some(({ id }) => id === "held/customers/change"),
      );
      const { stdout } = await stage.command("plan");
      const id = /--confirm ([0-9a-f]+)/.exec(stdout)![1]!;
      later(MINUTE);
      await until("the message arrived", () => subjects().length === 1);
      expect(subjects()).toEqual(["[svcsync Example] customers is held: nothing of it is delivered"]);
      expect(mail.mails[0]!.text).toContain("Cause: its changed mapping would update 12 of 12 records");
      expect(mail.mails[0]!.text).toContain(`svcsync plan --confirm ${id}`);
      expect(stdout).toContain('name: "Kunde 1" -> "10001"');
    }

    await stage.edit((text) => text.replace("name: customer_no", "name: name1"));
    await using running = await stage.start(timing);
    await until("the end was seen", async () => (await running.store.notices.notices())[0]?.goneAt !== undefined);
    later(5 * MINUTE);
    await until("the recovery arrived", () => subjects().length === 2);
    expect(subjects()[1]).toBe("[svcsync Example] Resolved: customers is held: nothing of it is delivered");
    expect(texts(stage.sandbox, "customer", "name")).toEqual(names);
  });
});

describe("a Monday with large numbers", () => {
  const patient = { SWEEP_INTERVAL_SECONDS: "86400" };

  it("holds 12,000 names that would change by the default guard, in one message", async () => {
    await using mail = await startMailServer({ login: { user: "svcsync", password: "s3cret" } });
    const syncFile = customersByStatus;
    await using stage = await setStage({ syncFile, environment: { ...mailSettings(mail.port), ...patient } });
    stage.erp.insertCustomer({ customer_no: "K100", status: "A" });
    stage.erp.change("customers", ["K100"], { status: "Active" });
    expect((await stage.command("sync")).code).toBe(0);
    multiplyRecord(stage, "K100", 12_000);

    await stage.edit((text) => text.replace("name: name1", "name: customer_no"));
    const { later, timing } = forwardable();
    await using running = await stage.start(timing);
    await until("the guard has a plan", async () =>
      (await running.store.notices.notices()).some(
        ({ id, severity }) => id === "held/customers/change" && severity === "problem",
      ),
    );
    later(MINUTE);
    await until("the message arrived", () => mail.mails.length > 0);
    expect(mail.mails.map(({ subject }) => subject)).toEqual([
      "[svcsync Example] customers is held: nothing of it is delivered",
    ]);
    expect(mail.mails[0]!.text).toContain("Cause: its changed mapping would update 12,000 of 12,000 records");
    expect(texts(stage.sandbox, "customer", "name")).toEqual(["Kunde K100"]);
  });

  it("tells of 50,000 parked records in one digest", async () => {
    await using mail = await startMailServer({ login: { user: "svcsync", password: "s3cret" } });
    const syncFile = customersByStatus;
    await using stage = await setStage({ syncFile, environment: { ...mailSettings(mail.port), ...patient } });
    stage.erp.insertCustomer({ customer_no: "K100", status: "P" });
    expect((await stage.command("sync")).code).toBe(1);
    multiplyRecord(stage, "K100", 50_000);

    const { later, timing } = forwardable();
    await using running = await stage.start(timing);
    await until("all were seen", async () => (await running.store.notices.notices())[0]?.count === 50_000);
    later(MINUTE);
    await until("the digest arrived", () => mail.mails.length > 0);
    expect(mail.mails.map(({ subject }) => subject)).toEqual([
      "[svcsync Example] customers: 50,000 records are parked",
    ]);
    expect(mail.mails[0]!.text).toContain("svcsync retry --group");
  });
});

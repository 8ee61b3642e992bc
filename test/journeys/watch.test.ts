import { expect, it } from "vitest";
import { DEFAULT_TOKEN } from "#sandbox";
import type { WatchedExchange } from "#store";
import { setStage, texts, until, untilState, type Running, type Stage } from "./stage.ts";

const ID = { stream: "customers", key: "1" };

/** Renames the customer and waits for an exchange that ended so. */
async function renamed(
  { erp }: Stage,
  { store }: Running,
  name: string,
  isEnd: (exchange: WatchedExchange) => boolean,
) {
  erp.renameCustomer("1", name);
  return until(`an exchange about ${name}`, async () =>
    (await store.watches.exchanges(ID)).find((one) => one.sent?.includes(name) && isEnd(one)),
  );
}

it("keeps requests and answers of a watched record, good and bad, without secrets, until its time and over a restart", async () => {
  await using stage = await setStage();
  stage.erp.insertCustomer({ customer_no: "2", name1: "Zwei" });
  {
    await using running = await stage.start();
    await until("the other customer is there", () => texts(stage.sandbox, "customer", "customerId").includes("2"));
    const { code, stdout } = await stage.command(
      "watch",
      "customers/1",
      "--for",
      "1h",
      "--why",
      "name",
      "--as",
      "anna",
    );
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining("No poll has returned this key yet: its first delivery"),
    ]);
    await until("the daemon knows", () => running.log.text.includes("record watch began"));

    // The first delivery of a record that was not known when its watch began.
    stage.erp.insertCustomer({ customer_no: "1", name1: "Eins", remarks: `token ${DEFAULT_TOKEN}` });
    stage.erp.renameCustomer("2", "Drei");
    await untilState(running.store, "applied", ID);
    const created = await until("its create", async () =>
      (await running.store.watches.exchanges(ID)).find(({ method }) => method === "POST"),
    );
    expect(created).toMatchObject({ status: expect.any(Number), sent: expect.stringContaining("[redacted]") });
    expect(created.answer).toContain("[redacted]");

    // The service requires a name.
    await renamed(stage, running, "", ({ status }) => status === 400);
    stage.sandbox.faults.add({ kind: "serverError", method: "PUT", count: 1 });
    await renamed(stage, running, "Failed", ({ status }) => status === 500);
    // Its repetition must not meet the next fault.
    await untilState(running.store, "applied", ID);
    stage.sandbox.faults.add({ kind: "cut", when: "before", method: "PUT", count: 1 });
    const cut = await renamed(stage, running, "Cut off", ({ failure }) => failure !== undefined);
    expect(cut).not.toHaveProperty("status");
  }
  await using running = await stage.start();
  await renamed(stage, running, "After the restart", ({ status }) => status === 200);
  await untilState(running.store, "applied", ID);

  const watch = (minutes: number) =>
    fetch(new URL("/api/records/customers/1/watch", running.daemon.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ minutes, why: "by script" }),
    });
  expect([(await watch(10)).status, (await watch(0)).status]).toEqual([200, 409]);
  expect(await running.store.watches.watches(Date.now())).toMatchObject([
    { id: ID, by: { via: "api", why: "by script" } },
  ]);

  const explained = (await stage.command("explain", "customers/1")).stdout;
  expect(explained).toMatch(/PUT \/\S+: HTTP 400, \d+ ms\n +sent .*"name":"".*\n +answer /);
  expect(explained).toMatch(/: HTTP 500, \d+ ms\n +sent .*"Failed"/);
  expect(explained).toMatch(/: no answer: .* \d+ ms\n +sent .*"Cut off"/);
  expect(explained).toContain(`watch: until `);
  expect(explained).toContain('by anna (command): "name"');
  const api = await (await fetch(new URL("/api/records/customers/1", running.daemon.url))).json();
  expect(api).toMatchObject({ exchanges: expect.arrayContaining([expect.objectContaining({ status: 400 })]) });
  const page = await (await fetch(new URL("/records/customers/1", running.daemon.url))).text();
  expect(page).toContain("Requests and answers");
  expect(page).toContain("After the restart");
  const kept = JSON.stringify(await running.store.watches.exchanges(ID));
  for (const text of [explained, JSON.stringify(api), page, kept]) expect(text).not.toContain(DEFAULT_TOKEN);
  expect(kept).not.toContain("Drei");
  expect(await running.store.watches.exchanges({ stream: "customers", key: "2" })).toEqual([]);

  // A watch that is over keeps nothing more.
  expect((await stage.command("watch", "customers/1", "--for", "1s")).code).toBe(0);
  await until("the watch is over", () => running.log.text.includes("record watch ended"));
  const count = (await running.store.watches.exchanges(ID)).length;
  stage.erp.renameCustomer("1", "Unseen");
  await until("it is delivered", () => texts(stage.sandbox, "customer", "name").includes("Unseen"));
  expect(await running.store.watches.exchanges(ID)).toHaveLength(count);
});

it("is refused for an unknown stream, no time, or more than a day", async () => {
  await using stage = await setStage();
  expect((await stage.command("watch", "nothing/1")).code).toBe(64);
  expect((await stage.command("watch", "customers/1", "--for", "soon")).code).toBe(64);
  const long = await stage.command("watch", "customers/1", "--for", "2d");
  expect([long.code, long.stderr]).toEqual([64, expect.stringContaining("up to 1d")]);
});

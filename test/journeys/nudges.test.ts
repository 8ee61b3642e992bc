import { describe, expect, it } from "vitest";
import { pollNote } from "#pipeline";
import { customersStream } from "../setup/customers-stream.ts";
import { setStage, texts, until } from "./stage.ts";

const token = "a-token-of-the-erp-12345";
const syncFile = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream()}`;

describe("a person who wants a poll now", () => {
  it("gets one by the command, by the API, and while no daemon runs at the next start", async () => {
    await using stage = await setStage({
      syncFile,
      environment: { PAGE_TOKEN: token, POLL_INTERVAL_SECONDS: "3600", SWEEP_INTERVAL_SECONDS: "3600" },
    });
    const arrives = (name: string) =>
      until(`${name} is there`, () => texts(stage.sandbox, "customer", "name").includes(name));
    stage.erp.insertCustomer({ customer_no: "1", name1: "Eins" });
    expect((await stage.command("poll", "customers")).code).toBe(0);
    await using running = await stage.start();
    await arrives("Eins");
    await until("the request is answered", async () => (await running.store.note(pollNote("customers"))) === undefined);

    stage.erp.insertCustomer({ customer_no: "2", name1: "Zwei" });
    expect((await stage.command("poll", "customers")).code).toBe(0);
    await arrives("Zwei");

    stage.erp.insertCustomer({ customer_no: "3", name1: "Drei" });
    const asked = await fetch(`${running.daemon.url!}/api/streams/customers/poll`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    });
    expect(await asked.json()).toEqual({ stream: "customers", done: "poll" });
    await arrives("Drei");
  });
});

describe("an ERP that nudges", () => {
  it("a hundred times a second gets one answer each, few polls, and its last change delivered", async () => {
    await using stage = await setStage({
      syncFile,
      environment: { NUDGE_TOKEN: token, POLL_INTERVAL_SECONDS: "3600", SWEEP_INTERVAL_SECONDS: "3600" },
    });
    stage.erp.insertCustomer({ customer_no: "1", name1: "Eins" });
    await using running = await stage.start();
    const polls = () => running.log.text.split('"stream polled"').length - 1;
    const nudge = (stream: string) =>
      fetch(`${running.daemon.url!}/nudge/${stream}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
      }).then(async (answer) => [answer.status, await answer.json()]);
    await until("the first row is there", () => texts(stage.sandbox, "customer", "name").includes("Eins"));
    const before = polls();

    const answers = await Promise.all(Array.from({ length: 99 }, () => nudge("customers")));
    stage.erp.insertCustomer({ customer_no: "2", name1: "Zwei" });
    answers.push(await nudge("customers"));
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set(['[202,{"nudged":"customers"}]']));
    await until("the last change is there", () => texts(stage.sandbox, "customer", "name").includes("Zwei"));
    expect(polls() - before).toBeLessThan(10);

    expect(await nudge("customer")).toEqual([404, { error: "no such stream: customers" }]);
  });
});

import { describe, expect, it } from "vitest";
import { customersStream } from "../setup/customers-stream.ts";
import { setStage, texts, until } from "./stage.ts";

const token = "a-token-of-the-erp-12345";
const syncFile = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream()}`;

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

import { describe, expect, it } from "vitest";
import { texts, setStage, until, writeRequests } from "./stage.ts";

describe("a paused stream", () => {
  it("delivers nothing, says so everywhere, survives a restart and continues when it is resumed or its time comes", async () => {
    await using stage = await setStage();
    stage.erp.insertCustomer({ customer_no: "1", name1: "Eins" });
    {
      await using running = await stage.start();
      await until("the customer is there", () => texts(stage.sandbox, "customer", "customerId").includes("1"));

      const { code, stdout } = await stage.command(
        "pause",
        "customers",
        "--for",
        "1h",
        "--why",
        "ERP upgrade",
        "--as",
        "anna",
      );
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/^Paused customers until .*; they are still polled\.$/m),
      ]);
      await until("the daemon knows", () => running.log.text.includes("delivery is paused by anna"));
      stage.erp.insertCustomer({ customer_no: "2", name1: "Zwei" });
      await until("the poll brings it", () => running.store.record({ stream: "customers", key: "2" }));

      const page = await (await fetch(running.daemon.url!)).text();
      expect(page).toContain("delivery is paused by anna until");
      expect(page).toContain("ERP upgrade");
      expect((await fetch(new URL("/readyz", running.daemon.url))).status).toBe(200);
      const metrics = await (await fetch(new URL("/metrics", running.daemon.url))).text();
      expect(metrics).toContain('svcsync_stream_held{stream="customers",by="pause"} 1');
      expect(texts(stage.sandbox, "customer", "customerId")).toEqual(["1"]);
    }
    const status = await stage.command("status");
    expect(status.stdout).toMatch(/customers +│? *paused/);
    expect(status.stdout).toContain('ERP upgrade; it continues then, or with "svcsync resume customers"');
    expect(status.code).toBe(0);

    const writes = writeRequests(stage.sandbox);
    await using running = await stage.start();
    await until("the daemon holds it again", () => running.log.text.includes("delivery is paused by anna"));
    await until("it has polled", () => running.log.text.includes("stream swept"));
    expect(writeRequests(stage.sandbox)).toBe(writes);
    expect((await stage.command("resume", "--as", "ben")).stdout).toBe("Resumed customers.\n");
    await until("it is delivered", () => texts(stage.sandbox, "customer", "customerId").includes("2"));

    await stage.command("pause", "customers", "--for", "2s", "--polls");
    await until("polls stop", () => !running.daemon.holds.mayPoll("customers"));
    stage.erp.insertCustomer({ customer_no: "3", name1: "Drei" });
    await until("it ends without a person", () => texts(stage.sandbox, "customer", "customerId").includes("3"));
    const acts = (await running.store.audit({ limit: 50 })).filter(({ by }) => by !== undefined);
    expect(acts.toReversed()).toMatchObject([
      { action: "pause", by: { name: "anna", via: "cli", why: "ERP upgrade" } },
      { action: "resume", by: { name: "ben" } },
      { action: "pause", by: { via: "cli" } },
    ]);
  });

  it.each([
    [["--until", "2020-01-01 18:00"], "which is in the past: expected a time between now"],
    [["--until", "soon"], "expected a time such as 18:00 or 2026-11-22 18:00"],
    [[], "Set the end of the pause: --until 18:00, or --for 2h."],
  ])("is not made by %j", async (options, words) => {
    await using stage = await setStage();
    const { code, stderr } = await stage.command("pause", "customers", ...options);
    expect(stderr).toContain(words);
    expect(code).toBe(64);
    expect((await stage.command("resume")).stdout).toBe("No such stream is paused.\n");
  });
});

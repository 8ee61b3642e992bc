import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openStore } from "#store";
import { Redaction } from "#telemetry";
import { customer, upsert } from "../conformance/store-scene.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";

const error = { code: "E_INTERNAL", message: "refused s3cr3t-token", details: { said: "s3cr3t-token" } } as const;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-redaction-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("the store", () => {
  it("writes no secret of an error or a note down, not even one that a login brought later", async () => {
    const redaction = new Redaction();
    const clock = new SetClock();
    const { redact } = redaction;
    await using store = await openStore(folder, { as: "daemon", clock, logger: silentLogger, redact });
    redaction.hide("s3cr3t-token");
    const changes = ["1", "2", "3", "4"].map((key) => upsert(key));
    await store.stage("customers", { changes, cursor: null, backfill: false, complete: true });
    await store.pollFailed("customers", error);
    const audit = { action: "attempt", resource: "customer", outcome: error.message } as const;
    await store.end((await store.claim(customer("1")))!, { kind: "retry", error, dueAt: clock.now() + 1, audit });
    await store.end((await store.claim(customer("2")))!, { kind: "wait", error });
    await store.end((await store.claim(customer("3")))!, { kind: "park", error, audit });
    const claim = (await store.claim(customer("4")))!;
    await store.begin(claim, { resource: "customer", projection: {} });
    await store.end(claim, { kind: "uncertain", error });
    await store.saveNote({ name: "held", schema: z.json() }, { reason: "s3cr3t-token" });

    expect((await store.record(customer("3")))?.error).toMatchObject({
      message: "refused [redacted]",
      details: { said: "[redacted]" },
    });
    for (const name of await readdir(folder)) {
      const bytes = await readFile(join(folder, name));
      expect([name, bytes.includes("s3cr3t-token")]).toEqual([name, false]);
    }
  });
});

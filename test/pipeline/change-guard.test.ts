import { describe, expect, it } from "vitest";
import { StopError } from "#model";
import { ChangeGuard, confirmChange } from "#pipeline";
import { startSandbox } from "#sandbox";
import { Redaction } from "#telemetry";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { memoryPlace } from "../store/memory-place.ts";
import { DeliveryRig, streamsOf, unguarded } from "./delivery-rig.ts";

const streams = (name: string) =>
  streamsOf(
    JSON.stringify({
      sources: { erp: { adapter: "sql", url: "sqlite:erp.db" } },
      streams: {
        departments: { source: "erp", read: { table: "t", key: "k" }, resource: "department", fields: { name } },
      },
    }),
  );

describe("the change guard", () => {
  it("lets through what a person confirmed, also where weak secrets are parts of its fingerprint", async () => {
    await using place = await memoryPlace();
    const clock = new SetClock();
    const { redact } = new Redaction("0123456789abcdef".split(""));
    await using store = await place.open({ as: "daemon", clock, logger: silentLogger, redact });
    const [stream] = streams("title");
    const { name, fingerprint } = stream!;
    await store.remap(name, "another");
    const running = new AbortController();
    const end = (how: string) => running.abort(how);
    const guard = new ChangeGuard(
      {
        store,
        service: { lookup: () => Promise.reject(new Error("asked")) },
        clock,
        logger: { ...silentLogger, error: (_, message) => end(message) },
        changeGuard: { percent: 10, count: 50 },
        guard: unguarded,
        plan: () => Promise.resolve({ id: "plan", updates: 100, known: 100 }),
        released: () => end("released"),
        stop: ({ message }) => end(message),
      },
      [stream!],
    );
    await guard.begin();
    await confirmChange(store, name, { fingerprint, updates: 100 });
    await guard.run(running.signal);
    expect(running.signal.reason).toBe("released");
  });

  it("stops the daemon with the store's own error when the store fails", async () => {
    await using sandbox = await startSandbox();
    await using rig = await DeliveryRig.open(sandbox);
    await rig.run(streams("name"));
    const running = new AbortController();
    const stopped: StopError[] = [];
    const guard = new ChangeGuard(
      {
        store: rig.store,
        service: rig.service,
        clock: rig.clock,
        logger: silentLogger,
        changeGuard: { percent: 10, count: 50 },
        guard: unguarded,
        plan: () => Promise.reject(new Error("nothing is planned")),
        released: () => running.abort(),
        stop: (error) => {
          stopped.push(error);
          running.abort();
        },
      },
      streams("title"),
    );
    await guard.begin();
    await rig.store[Symbol.asyncDispose]();
    await guard.run(running.signal);
    expect(stopped).toMatchObject([{ code: "E_STORE_CLOSED" }]);
  });
});

import { describe, expect, it } from "vitest";
import { StopError } from "#model";
import { ChangeGuard } from "#pipeline";
import { startSandbox } from "#sandbox";
import { silentLogger } from "../kit/logger.ts";
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

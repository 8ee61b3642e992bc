import { describe, expect, it } from "vitest";
import { DEFAULT_TOKEN, startSandbox } from "#sandbox";
import { never, thrownBy } from "../kit/outcome.ts";
import { open, secrets, standIn, type Reply } from "./stand-in.ts";

describe("a process that may have lost the store", () => {
  it("sends no write, and says that nothing was sent; reads go on", async () => {
    await using sandbox = await startSandbox({});
    let mayWrite = true;
    await using opened = open(
      sandbox.url,
      {},
      { secrets: { ...secrets, serviceToken: DEFAULT_TOKEN }, mayWrite: () => mayWrite },
    );
    const { service } = opened;
    const customerStatus = sandbox.records("customerStatus")[0]?.id ?? 0;
    const { serviceId } = await service.create("customer", { name: "A", customerId: "1", customerStatus }, never);
    mayWrite = false;
    const held = { family: "wait", code: "E_STORE_UNREACHABLE" };
    await expect(
      service.create("customer", { name: "B", customerId: "2", customerStatus }, never),
    ).rejects.toMatchObject(held);
    const patch = { fields: { name: "C" }, arrays: {} };
    await expect(service.update("customer", serviceId, patch, never)).rejects.toMatchObject(held);
    await expect(service.remove("customer", serviceId, never)).rejects.toMatchObject(held);
    expect(await service.read("customer", serviceId, ["name"], never)).toMatchObject({ name: "A" });
    expect(["POST", "PUT", "DELETE"].map((method) => sandbox.ledger.count({ method }))).toEqual([1, 0, 0]);
    mayWrite = true;
    await service.update("customer", serviceId, patch, never);
    expect(sandbox.records("customer")).toMatchObject([{ name: "C" }]);
  });

  it("sends nothing either when it loses the store while the connection is made", async () => {
    await using sandbox = await startSandbox({});
    const answers = [true, false];
    await using opened = open(
      sandbox.url,
      {},
      { secrets: { ...secrets, serviceToken: DEFAULT_TOKEN }, mayWrite: () => answers.shift() ?? true },
    );
    const customerStatus = sandbox.records("customerStatus")[0]?.id ?? 0;
    const body = { name: "A", customerId: "1", customerStatus };
    await expect(opened.service.create("customer", body, never)).rejects.toMatchObject({
      family: "wait",
      code: "E_STORE_UNREACHABLE",
    });
    expect([answers, sandbox.ledger.count({ method: "POST" })]).toEqual([[], 0]);
    await opened.service.create("customer", body, never);
  });

  it("holds nothing up by a write that was not let in and is not sent again", async () => {
    const entering = Promise.withResolvers<Reply>();
    await using server = await standIn(({ method }) => {
      if (method === "POST") return entering.promise;
      return server.seen.length === 2 ? { status: 429, headers: { "retry-after": "0.2" } } : { json: { id: 7 } };
    });
    // Before the connection and on it; then before the write is sent again.
    const answers = [true, true, false];
    await using opened = open(server.url, {}, { mayWrite: () => answers.shift() ?? true });
    const { service } = opened;
    const creating = thrownBy(service.create("customer", { name: "A" }, never));
    await expect.poll(() => server.seen.length).toBe(1);
    const reading = service.read("customer", 7, ["id"], never);
    await expect.poll(() => service.state().holdMs).toBeGreaterThan(0);
    entering.resolve({ status: 401 });
    expect(await creating).toMatchObject({ code: "E_STORE_UNREACHABLE" });
    expect(await reading).toEqual({ id: 7 });
  });
});

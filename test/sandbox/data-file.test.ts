import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startSandbox } from "#sandbox";
import { openTenant } from "./tenant.ts";

describe("a sandbox with a data file", () => {
  let folder: string;
  let data: string;
  let turn = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sandbox-"));
  });
  beforeEach(() => {
    turn += 1;
    data = join(folder, `data-${turn}.jsonl`);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const fill = async () => {
    await using tenant = await openTenant({ data });
    const id = await tenant.customer({ name: "eins" });
    const gone = await tenant.customer();
    await tenant.write("PUT", `v1/customer/${id}`, { name: "zwei" });
    await tenant.write("DELETE", `v1/customer/${gone}`);
    return { id, gone };
  };

  it("has all records and their histories again after a restart, and gives no id twice", async () => {
    const { id, gone } = await fill();
    await using tenant = await openTenant({ data });
    expect(tenant.sandbox.records("customer")).toMatchObject([{ id, name: "zwei" }]);
    expect(tenant.sandbox.ledger.writes({ resource: "customer", id }).map((write) => write.action)).toEqual([
      "create",
      "edit",
    ]);
    expect(tenant.sandbox.ledger.writes({ resource: "customer", id: gone }).map((write) => write.action)).toEqual([
      "create",
      "delete",
    ]);
    expect(tenant.sandbox.records("priority")).toHaveLength(3);
    expect(await tenant.customer()).toBeGreaterThan(gone);
  });

  it("drops a torn last line and goes on", async () => {
    const { id } = await fill();
    await appendFile(data, '{"action":"edit","resource":"custo');
    for (let start = 0; start < 2; start++) {
      await using tenant = await openTenant({ data });
      expect(tenant.sandbox.record("customer", id)).toMatchObject({ name: start === 0 ? "zwei" : "drei" });
      await tenant.write("PUT", `v1/customer/${id}`, { name: "drei" });
    }
  });

  it("goes on behind a last line whose end of line is missing", async () => {
    const { id } = await fill();
    const text = await readFile(data, "utf8");
    await writeFile(data, text.trimEnd());
    for (let start = 0; start < 2; start++) {
      await using tenant = await openTenant({ data });
      expect(tenant.sandbox.record("customer", id)).toBeDefined();
      await tenant.customer();
    }
  });

  it("refuses a file that is something else", async () => {
    await writeFile(data, "name;email\nx;y\n");
    await expect(startSandbox({ data })).rejects.toMatchObject({ code: "E_SANDBOX_DATA" });
    await expect(startSandbox({ data: join(folder, "missing", "x") })).rejects.toMatchObject({
      code: "E_SANDBOX_DATA",
    });
  });

  it("is empty but for the reference data after a reset", async () => {
    {
      await using tenant = await openTenant({ data });
      await tenant.customer();
      await tenant.sandbox.reset();
    }
    await using tenant = await openTenant({ data });
    expect([tenant.sandbox.records("customer").length, tenant.sandbox.records("priority").length]).toEqual([0, 3]);
  });
});

describe("starting and seeding", () => {
  it("a port that is taken is refused by name", async () => {
    await using first = await startSandbox();
    const port = Number(new URL(first.url).port);
    await expect(startSandbox({ port })).rejects.toMatchObject({ code: "E_SANDBOX_PORT" });
    await expect(startSandbox({ controlPort: port })).rejects.toMatchObject({ code: "E_SANDBOX_PORT" });
  });

  it("seeds keep their ids and stamps, replace a record with a known id, and need a known resource", async () => {
    await using sandbox = await startSandbox();
    const stamp = "2020-01-01T00:00:00.000Z";
    sandbox.seed("customer", [{ id: 5_000, name: "a", modified: stamp }, { name: "b" }]);
    sandbox.seed("customer", [{ id: 5_000, name: "c" }]);
    expect(sandbox.records("customer")).toMatchObject([
      { id: 5_000, name: "c" },
      { id: 5_001, name: "b" },
    ]);
    expect(sandbox.ledger.writes({ resource: "customer", id: 5_000 })[0]?.record).toMatchObject({ modified: stamp });
    expect(() => sandbox.seed("custommer", [{}])).toThrow(expect.objectContaining({ code: "E_SANDBOX_RESOURCE" }));
  });

  it("may start without reference data", async () => {
    await using sandbox = await startSandbox({ referenceData: false });
    expect(sandbox.records("priority")).toEqual([]);
  });

  it("answers carry the date of the injected clock", async () => {
    await using tenant = await openTenant({ clock: { now: () => 0 } });
    expect((await tenant.read("v1/tag")).headers.get("date")).toBe("Thu, 01 Jan 1970 00:00:00 GMT");
  });
});

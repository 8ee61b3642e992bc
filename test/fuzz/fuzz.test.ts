import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { startSandbox } from "#sandbox";
import { Dice } from "../chaos/dice.ts";
import type { Answer, Shown } from "./exchange.ts";
import { judgeDuplicates } from "./judge.ts";
import { families } from "./mutations/families.ts";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const said = z.object({ kind: z.string() });

/** What the probe tells of a process that keeps the processor busy for so long. */
async function probed(busyMs: number, meet: (child: ChildProcess) => Promise<void> = async () => undefined) {
  const child = fork(path("spinning-child.mjs"), [String(busyMs)], { execArgv: ["--import", path("probe.mjs")] });
  const kinds: string[] = [];
  await new Promise<void>((resolve) => {
    child.on("message", (message) => {
      const { kind } = said.parse(message);
      kinds.push(kind);
      if (kind === "ready") void meet(child);
      if (kind === "done") resolve();
    });
    child.send("watch");
  });
  child.kill();
  return kinds;
}

/** As a machine that has other things to do. */
async function stopAWhile(child: ChildProcess): Promise<void> {
  child.kill("SIGSTOP");
  await pause(700);
  child.kill("SIGCONT");
}

describe("the probe in the daemon", () => {
  it("tells of an event loop that its own work stops", async () => {
    expect(await probed(600)).toContain("stall");
  });

  it("tells nothing of a process that the machine did not run", async () => {
    expect(await probed(0, stopAWhile)).not.toContain("stall");
  });
});

describe("the verdict", () => {
  it("finds two records of one natural key, also when one of them went again", async () => {
    await using sandbox = await startSandbox();
    const post = async (customerId: string) =>
      await fetch(`${sandbox.url}/restApi/v1/customer`, {
        method: "POST",
        headers: { authorization: "Bearer sandbox-token", "content-type": "application/json" },
        body: JSON.stringify({ name: "x", customerId, customerStatus: sandbox.records("customerStatus")[0]!.id }),
      });
    await post("A");
    await post("B");
    expect(judgeDuplicates(sandbox)).toEqual([]);
    const { id } = z.object({ id: z.number() }).parse(await (await post("A")).json());
    sandbox.vanish("customer", id);
    expect(judgeDuplicates(sandbox)).toEqual([
      { what: "duplicate", text: expect.stringMatching(/^customer "A" was created as \d+ and \d+$/) },
    ]);
  });
});

describe("a wrong answer", () => {
  const list = {
    totalCount: 2,
    offset: 0,
    limit: 50,
    customer: [
      { id: 7, customerId: "A", name: "x", modified: "2026-01-01T00:00:00.000Z" },
      { id: 8, customerId: "B", name: "y", modified: "2026-01-01T00:00:00.000Z" },
    ],
  };
  const answer: Answer = { status: 200, headers: {}, body: Buffer.from(JSON.stringify(list)) };

  const truth = new Map<unknown, string>([
    [7, "A"],
    [8, "B"],
  ]);
  const drawn = (name: string, seed: number, trusted: readonly string[] = []) =>
    families[name]!(answer, {
      asked: { method: "GET", url: "/", headers: {}, body: Buffer.alloc(0) },
      dice: new Dice(seed),
      earlier: undefined,
      thiefUrl: "http://127.0.0.1:1",
      trusted: new Set(trusted),
    });

  it("is never a lie that nobody could detect: a list that calls a record by another's natural key", () => {
    const names = fc.constantFrom("structure", "ids", "stamps", "lists", "bytes", "empties");
    const asserted = fc.property(names, fc.integer(), (name, seed) => {
      const rows = rowsOf(drawn(name, seed, ["customerId"]));
      const named = rows.filter(({ id, customerId }) => truth.has(id) && customerId !== undefined);
      expect(named.filter(({ id, customerId }) => customerId !== truth.get(id))).toEqual([]);
    });
    fc.assert(asserted, { numRuns: 500 });
  });

  it("is the same for the same dice", () => {
    for (const name of Object.keys(families))
      for (let seed = 0; seed < 5; seed++) expect(drawn(name, seed)).toEqual(drawn(name, seed));
  });
});

/** The rows that a client finds, if it finds any. */
function rowsOf(wrong: Shown | undefined): { id?: unknown; customerId?: unknown }[] {
  if (wrong?.kind !== "answer") return [];
  const row = z.object({ id: z.unknown(), customerId: z.unknown() }).partial();
  try {
    const { customer } = z
      .object({ customer: z.array(z.unknown()) })
      .parse(JSON.parse(wrong.answer.body.toString("utf8")));
    return customer.flatMap((one) => row.safeParse(one).data ?? []);
  } catch {
    return [];
  }
}

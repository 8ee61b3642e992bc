import { deepEqual } from "node:assert/strict";
import * as fc from "fast-check";
import type { SourceHarness } from "./source-harness.ts";
import { Reader } from "./source-reading.ts";

type Act =
  | { readonly kind: "put"; readonly keys: readonly number[]; readonly stamped: boolean }
  | { readonly kind: "begin"; readonly keys: readonly number[] }
  | { readonly kind: "commit" }
  | { readonly kind: "poll"; readonly batches: number };

const keys = fc.uniqueArray(fc.nat(11), { minLength: 1, maxLength: 6 });
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constant("put" as const), keys, stamped: fc.boolean() }),
  fc.record({ kind: fc.constant("begin" as const), keys }),
  fc.constant({ kind: "commit" as const }),
  fc.record({ kind: fc.constant("poll" as const), batches: fc.constantFrom(1, 2, 3, Infinity) }),
);

/** Changes, open transactions, commits, polls and crashes in any order: in the end nothing is lost. */
export async function anyOrder(open: () => Promise<SourceHarness>, stampless: boolean): Promise<void> {
  const property = fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 24 }), async (acts) => {
    await using erp = await open();
    await new History(erp, stampless).replay(acts);
  });
  await fc.assert(property, { numRuns: 15, endOnFailure: true });
}

class History {
  readonly #erp: SourceHarness;
  readonly #stampless: boolean;
  readonly #truth = new Map<string, string>();
  readonly #reader: Reader;
  #open: { commit: () => Promise<void>; rows: { key: string; name: string }[] } | undefined;
  #version = 0;

  constructor(erp: SourceHarness, stampless: boolean) {
    this.#erp = erp;
    this.#stampless = stampless;
    this.#reader = new Reader(erp.stream({ pageSize: 3 }));
  }

  async replay(acts: readonly Act[]): Promise<void> {
    for (const act of acts) await this.#carryOut(act);
    await this.#commit();
    await this.#reader.poll();
    await this.#reader.poll();
    deepEqual(Object.fromEntries(this.#reader.names), Object.fromEntries(this.#truth));
  }

  async #carryOut(act: Act): Promise<void> {
    switch (act.kind) {
      case "put":
        return await this.#put(act.keys, act.stamped);
      case "begin":
        return await this.#begin(act.keys);
      case "commit":
        return await this.#commit();
      case "poll":
        return void (await this.#reader.poll(act.batches));
    }
  }

  async #put(keys: readonly number[], stamped: boolean): Promise<void> {
    if (this.#open && this.#erp.writesBesideLate === false) return;
    // Two transactions cannot hold one row.
    const free = this.#rows(keys).filter(({ key }) => !this.#open?.rows.some((row) => row.key === key));
    if (free.length === 0) return;
    await this.#erp.put(free, stamped || !this.#stampless ? undefined : null);
    for (const { key, name } of free) this.#truth.set(key, name);
  }

  async #begin(keys: readonly number[]): Promise<void> {
    if (this.#open || !this.#erp.putLate) return;
    const rows = this.#rows(keys);
    this.#open = { commit: await this.#erp.putLate(rows), rows };
  }

  async #commit(): Promise<void> {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    await open.commit();
    for (const { key, name } of open.rows) this.#truth.set(key, name);
  }

  #rows(keys: readonly number[]): { key: string; name: string }[] {
    this.#version++;
    return keys.map((key) => ({ key: `K${key}`, name: `v${this.#version}` }));
  }
}

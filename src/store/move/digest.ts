import { hash } from "node:crypto";
import type { MovedRow } from "./side.ts";

/** Counts rows and sums up their hashes: equal for equal rows in any order. Half of a surrogate pair counts as what SQLite makes of it. */
export class Digest {
  readonly #sum = new Uint32Array(4);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get hash(): string {
    return [...this.#sum].map((part) => part.toString(16).padStart(8, "0")).join("");
  }

  add(rows: readonly MovedRow[]): void {
    this.#count += rows.length;
    for (const row of rows) {
      const own = hash("sha256", JSON.stringify(row.map(wellFormed)), "buffer");
      for (let part = 0; part < this.#sum.length; part++)
        this.#sum[part] = (this.#sum[part] ?? 0) + own.readUInt32LE(part * 4);
    }
  }

  equals(other: Digest): boolean {
    return this.count === other.count && this.hash === other.hash;
  }
}

const wellFormed = (value: MovedRow[number]) => (typeof value === "string" ? value.toWellFormed() : value);

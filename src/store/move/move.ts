import { hash, randomUUID } from "node:crypto";
import { StopError, type Clock } from "#model";
import { moved, moveRefused, type MoveMark } from "./mark.ts";
import type { MovedRow, MovedTable, MoveSide } from "./side.ts";

/** Progress of a move. `rows` counts from the beginning of the table. */
export type MoveStep =
  | { readonly step: "began" | "compared" | "marked" }
  | { readonly step: "copying" | "comparing"; readonly table: string; readonly rows: number };

/** A comparison of one table in both stores, read back after the copy. */
export interface TableComparison {
  readonly table: string;
  readonly from: { readonly rows: number; readonly hash: string };
  readonly to: { readonly rows: number; readonly hash: string };
}

export interface MoveOptions {
  readonly clock: Clock;
  readonly tables: readonly MovedTable[];
  /** Called at each step; the move continues when it has resolved. */
  readonly report: (step: MoveStep) => void | Promise<void>;
}

/**
 * Copies a whole store, compares both copies and puts the new one in charge. The old store stays in charge until everything is equal and on
 * disk. Then the old store is marked, and after it the new one. In between neither of them opens, and another run finishes the move. An
 * interrupted move continues where it stopped.
 * @throws {StopError} E_STORE_MOVED when the source has already moved, E_MOVE_REFUSED when the target is not empty, E_STORE_DIFFERS when
 * the copy is not equal: the old store is still in charge.
 * @returns the compared tables; none if only the last mark was missing.
 */
export async function moveStore(source: MoveSide, target: MoveSide, options: MoveOptions): Promise<TableComparison[]> {
  const { clock, tables, report } = options;
  const [left, arriving] = [await source.mark(), await target.mark()];
  const mark = (state: MoveMark["state"], id: string): MoveMark => {
    const other = state === "leaving" || state === "left" ? target.place : source.place;
    return { id, state, other, at: clock.now() };
  };
  const isSame = arriving?.state === "arriving" && arriving.id === left?.id;
  if (left?.state === "left") {
    if (!isSame) throw moved(source.place, left.other);
    await target.saveMark(mark("arrived", left.id));
    return [];
  }
  if (left?.state === "arriving")
    throw moveRefused(`${source.place} is itself the target of a move that has not ended`);
  if (await source.isUnused()) throw moveRefused(`${source.place} holds no store that knows records`);
  const id = isSame ? arriving.id : randomUUID();
  if (!isSame) await expectUsable(target, arriving);
  await source.saveMark(mark("leaving", id));
  await target.saveMark(mark("arriving", id));
  await source.freeze();
  await report({ step: "began" });
  const compared: TableComparison[] = [];
  for (const table of tables) compared.push(await copy(source, target, table, report));
  await target.finish(await source.lastNumbers());
  await target.saveMark(mark("arriving", id));
  await report({ step: "compared" });
  await source.saveMark(mark("left", id));
  await report({ step: "marked" });
  await target.saveMark(mark("arrived", id));
  return compared;
}

async function expectUsable(target: MoveSide, mark: MoveMark | undefined): Promise<void> {
  const found =
    mark?.state === "left"
      ? `a store that was moved to ${mark.other}`
      : mark?.state === "arriving"
        ? `a part of another store, from ${mark.other}`
        : (await target.isUnused())
          ? undefined
          : "a store that knows records";
  if (found === undefined) return;
  throw moveRefused(
    `${target.place} holds ${found}. Name another folder or schema, or remove this one if nothing in it is needed`,
  );
}

async function copy(
  source: MoveSide,
  target: MoveSide,
  table: MovedTable,
  report: MoveOptions["report"],
): Promise<TableComparison> {
  let known = await digestOf(target, table);
  if (known.count > 0 && !(await beginsWith(source, table, known))) {
    await target.clear(table);
    known = new Digest();
  }
  const from = new Digest();
  for await (const rows of source.rows(table)) {
    const skipped = Math.max(0, known.count - from.count);
    from.add(rows);
    if (skipped < rows.length) await target.write(table, rows.slice(skipped));
    await report({ step: "copying", table: table.name, rows: from.count });
  }
  const to = await digestOf(target, table, (rows) => report({ step: "comparing", table: table.name, rows }));
  if (!to.equals(from)) throw differs(table, from, to);
  return { table: table.name, from: factsOf(from), to: factsOf(to) };
}

async function digestOf(
  side: MoveSide,
  table: MovedTable,
  report: (rows: number) => void | Promise<void> = () => undefined,
): Promise<Digest> {
  const digest = new Digest();
  for await (const rows of side.rows(table)) {
    digest.add(rows);
    await report(digest.count);
  }
  return digest;
}

/** Whether the table still begins with the rows that an interrupted move has copied. */
async function beginsWith(side: MoveSide, table: MovedTable, known: Digest): Promise<boolean> {
  const digest = new Digest();
  for await (const rows of side.rows(table)) {
    digest.add(rows.slice(0, known.count - digest.count));
    if (digest.count === known.count) break;
  }
  return digest.equals(known);
}

const factsOf = ({ count, hash }: Digest) => ({ rows: count, hash });

function differs({ name }: MovedTable, from: Digest, to: Digest): StopError {
  return new StopError(
    "E_STORE_DIFFERS",
    `the copy of the table ${name} differs: ${from.count} rows with hash ${from.hash} became ${to.count} with ${to.hash}. ` +
      "The old store is unchanged and in charge",
    { details: { table: name, from: factsOf(from), to: factsOf(to) } },
  );
}

/** Counts rows and adds up their hashes: equal for equal rows in any order. Lone surrogates are hashed as SQLite stores them. */
class Digest {
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

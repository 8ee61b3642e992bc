import { canonicalJson, type Json, type JsonObject, type Projection } from "#model";
import type { ArrayChange, Patch } from "#service";
import type { Wanted } from "./resolver.ts";

/** What an update has to send, and which values are in doubt if its end is never seen. */
export interface Difference {
  readonly patch: Patch;
  readonly doubts: Projection;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** What an update leaves as last written, and what it has to send for that. `change` is undefined when nothing differs. */
export interface Edited {
  readonly projection: Projection;
  readonly change: Difference | undefined;
}

/** What an update needs to know of the wanted fields. */
type Written = Pick<Wanted, "projection" | "createOnly" | "shared">;

/** Computes the update of an existing record. Fields that are written at creation only stay as they are. */
export function edited(last: Projection, doubts: Projection | undefined, wanted: Written): Edited {
  const { projection, createOnly } = wanted;
  const written = Object.entries(projection).filter(([name]) => !createOnly.has(name));
  return { projection: { ...last, ...Object.fromEntries(written) }, change: difference(last, doubts, wanted) };
}

/**
 * Returns what differs between the last written and the wanted fields, or undefined when nothing does. Fields in doubt are always
 * sent. Fields written at creation only are left alone. In shared arrays only our own ids change: removes ids that we may have
 * added and no longer want, and adds wanted ids that are not certain to be there.
 */
export function difference(
  applied: Projection,
  doubts: Projection | undefined,
  wanted: Written,
): Difference | undefined {
  const fields: JsonObject = {};
  const arrays: Record<string, ArrayChange> = {};
  const doubted: Record<string, Json> = {};
  const before: JsonObject = {};
  const after: JsonObject = {};
  for (const [name, value] of Object.entries(wanted.projection)) {
    if (wanted.createOnly.has(name)) continue;
    const last = applied[name];
    const inDoubt = doubts !== undefined && name in doubts;
    if (!inDoubt && last !== undefined && isSame(last, value)) continue;
    if (wanted.shared.has(name)) {
      const maybe = inDoubt ? ids(doubts[name]) : [];
      const change = arrayChange(ids(last), maybe, ids(value), inDoubt);
      if (change.add.length === 0 && change.remove.length === 0) continue;
      arrays[name] = change;
      doubted[name] = union(ids(last), maybe, ids(value));
    } else {
      fields[name] = value;
      doubted[name] = null;
    }
    before[name] = last ?? null;
    after[name] = value;
  }
  if (Object.keys(after).length === 0) return undefined;
  return { patch: { fields, arrays }, doubts: doubted, before, after };
}

function isSame(a: Json, b: Json): boolean {
  return a === b || canonicalJson(a) === canonicalJson(b);
}

function arrayChange(last: number[], maybe: number[], wanted: number[], inDoubt: boolean): ArrayChange {
  return {
    add: wanted.filter((id) => inDoubt || !last.includes(id)),
    remove: union(last, maybe).filter((id) => !wanted.includes(id)),
  };
}

function ids(value: Json | undefined): number[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === "number") : [];
}

function union(...lists: number[][]): number[] {
  return [...new Set(lists.flat())].toSorted((a, b) => a - b);
}

/** The projection without null fields: a create omits fields that have no value. */
export function withoutNulls(projection: Projection): JsonObject {
  return Object.fromEntries(Object.entries(projection).filter(([, value]) => value !== null));
}

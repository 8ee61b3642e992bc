import { canonicalJson, type Json, type JsonObject, type Projection } from "#model";
import type { ArrayChange, Patch } from "#service";
import type { Wanted } from "./resolver.ts";

/** What an update has to send, and what would be in doubt if its end were never seen. */
export interface Difference {
  readonly patch: Patch;
  readonly doubts: Projection;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** What an update leaves as last written, and what it has to send for that; nothing where nothing differs. */
export interface Edited {
  readonly projection: Projection;
  readonly change: Difference | undefined;
}

/** What a record that exists is updated by: fields that are written at creation only stay as they are. */
export function edited(last: Projection, doubts: Projection | undefined, wanted: Wanted): Edited {
  const { projection, createOnly } = wanted;
  const written = Object.entries(projection).filter(([name]) => !createOnly.has(name));
  return { projection: { ...last, ...Object.fromEntries(written) }, change: difference(last, doubts, wanted) };
}

/**
 * The fields that differ between what was last written and what is wanted now, or undefined when none does.
 * Fields in doubt are sent whatever was last written. Fields written at creation only are left alone. Of shared arrays only
 * our own ids move: what we may have put in and no longer want goes, what we want and have not surely put in comes.
 */
export function difference(
  applied: Projection,
  doubts: Projection | undefined,
  wanted: Wanted,
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

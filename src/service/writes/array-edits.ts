import { RetryError, type Json, type JsonObject, type ResourceName } from "#model";
import type { Logger } from "#telemetry";
import { droppedArrays, idsIn, mergedIds } from "./compare.ts";
import type { ArrayChange } from "../contract.ts";
import { ServiceRefusal } from "../transport/failures.ts";
import { serviceIdOf, isEmpty, sameValue } from "../dialect/values.ts";

type Arrays = Readonly<Record<string, ArrayChange>>;
/** Sends these array properties, with the plain fields or alone, and returns the record afterwards. */
type Put = (arrays: Readonly<Record<string, Json>>, plain: boolean) => Promise<JsonObject>;
type Read = () => Promise<JsonObject>;

/** Failed trials after which the action counts as misread; other people's changes can look like one failure. */
const TRIALS = 2;

/**
 * Changes arrays: our ids are added and removed, other people's stay. Once `{ action, ids }` has been seen to work on a
 * property, it is used alone. Until then it is sent in a form that keeps the other ids whatever the tenant makes of it,
 * so that the process may die after any request. Where a tenant does not support it, arrays are read, merged and written
 * whole.
 */
export class ArrayEdits {
  readonly #mode: "object" | "merge";
  readonly #logger: Logger;
  readonly #proven = new Map<string, boolean>();

  constructor(mode: "object" | "merge", logger: Logger) {
    this.#mode = mode;
    this.#logger = logger;
  }

  async write(resource: ResourceName, arrays: Arrays, put: Put, show: Read): Promise<JsonObject> {
    const names = namesOf(arrays);
    const read = async () => understood(arrays, await show());
    if (names.length === 0) return put({}, true);
    const verdicts = names.map((name) => this.#proven.get(`${resource}.${name}`));
    if (this.#mode === "merge" || verdicts.includes(false)) return put(wholeArrays(arrays, await read()), true);
    return verdicts.includes(undefined) ? this.#tried(resource, arrays, put, read) : byAction(arrays, put);
  }

  async #tried(resource: ResourceName, arrays: Arrays, put: Put, read: Read): Promise<JsonObject> {
    try {
      for (let count = 0; count < TRIALS; count++) {
        const tried = await trial(arrays, await read(), put);
        if (tried === undefined) continue;
        this.#settle(resource, tried.proven, true);
        return tried.record;
      }
    } catch (thrown) {
      if (!(thrown instanceof ServiceRefusal)) throw thrown;
    }
    const wanted = wholeArrays(arrays, await read());
    const corrected = await put(wanted, true);
    if (shows(corrected, wanted)) {
      this.#settle(resource, namesOf(arrays), false);
      this.#logger.warn(
        { resource, fields: namesOf(arrays) },
        "array action was not understood, so the array was corrected",
      );
    }
    return corrected;
  }

  #settle(resource: ResourceName, names: readonly string[], works: boolean): void {
    for (const name of names) this.#proven.set(`${resource}.${name}`, works);
  }
}

/**
 * Tries the action. Returns the record and the arrays that prove that the action is understood; undefined where it
 * looks misread. A request names other people's ids beside ours and leaves out one id of ours that the array holds: a
 * tenant that replaces the whole array drops only that one. An id that a person removes between the read and this
 * request comes back with the others.
 */
async function trial(
  arrays: Arrays,
  before: JsonObject,
  put: Put,
): Promise<{ record: JsonObject; proven: string[] } | undefined> {
  const wanted = wholeArrays(arrays, before);
  const first = Object.entries(arrays).map(([name, { remove }]) => [name, addition(wanted[name]!) ?? removal(remove)]);
  const record = await put(Object.fromEntries(first), true);
  const second: Record<string, Json> = {};
  const proven: string[] = [];
  for (const [name, { add, remove }] of Object.entries(arrays)) {
    const held = idsIn(before[name]);
    const leaving = held.filter((id) => remove.includes(id));
    const shown = idsIn(record[name]);
    const others = shown.filter((id) => !add.includes(id) && !remove.includes(id));
    if (wanted[name]!.length > 0) {
      if (![...add, ...leaving].every((id) => shown.includes(id))) return undefined;
      const next = leaving.length > 0 ? removal(remove) : add.length > 0 ? addition(others) : undefined;
      if (next !== undefined) second[name] = next;
    }
    // A request that changes nothing looks the same on a tenant that ignores it.
    if (leaving.length > 0 || (name in second && add.some((id) => !held.includes(id)))) proven.push(name);
  }
  const after = Object.keys(second).length === 0 ? record : await put(second, false);
  return isDone(arrays, after) ? { record: after, proven } : undefined;
}

/** Undefined for no ids, because not every tenant accepts an empty request. */
function addition(ids: readonly number[]): JsonObject | undefined {
  return ids.length === 0 ? undefined : { action: "add", ids: [...ids] };
}

function removal(ids: readonly number[]): JsonObject {
  return { action: "remove", ids: [...ids] };
}

function namesOf(arrays: Arrays): string[] {
  return Object.keys(arrays);
}

function isDone(arrays: Arrays, record: JsonObject): boolean {
  return droppedArrays(arrays, record).length === 0;
}

/** A property takes one action per request, so adding and removing needs two. */
async function byAction(arrays: Arrays, put: Put): Promise<JsonObject> {
  const first: Record<string, Json> = {};
  const second: Record<string, Json> = {};
  for (const [name, { add, remove }] of Object.entries(arrays)) {
    const coming = addition(add);
    first[name] = coming ?? removal(remove);
    if (coming !== undefined && remove.length > 0) second[name] = removal(remove);
  }
  const record = await put(first, true);
  return Object.keys(second).length === 0 ? record : put(second, false);
}

/** The arrays as they should be after the change. */
function wholeArrays(arrays: Arrays, current: JsonObject): Record<string, number[]> {
  return Object.fromEntries(Object.entries(arrays).map(([name, change]) => [name, mergedIds(current[name], change)]));
}

/**
 * The record, if its arrays can be written whole: an entry that is not an id would be lost.
 * @throws {RetryError} E_SERVICE_ANSWER otherwise.
 */
function understood(arrays: Arrays, record: JsonObject): JsonObject {
  for (const name of namesOf(arrays)) {
    const shown = record[name];
    if (isEmpty(shown) || (Array.isArray(shown) && shown.every((item) => serviceIdOf(item) !== undefined))) continue;
    const text = `the service shows ${name} as ${JSON.stringify(shown).slice(0, 100)}, expected a list of ids: what it holds would be lost`;
    throw new RetryError("E_SERVICE_ANSWER", text, { details: { field: name } });
  }
  return record;
}

function shows(record: JsonObject, wanted: Readonly<Record<string, Json>>): boolean {
  return Object.entries(wanted).every(([name, ids]) => sameValue(ids, idsIn(record[name])));
}

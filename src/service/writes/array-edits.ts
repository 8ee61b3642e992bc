import { RetryError, type Json, type JsonObject, type ResourceName } from "#model";
import type { Logger } from "#telemetry";
import { droppedArrays, idsIn, merged } from "./compare.ts";
import type { ArrayChange } from "../contract.ts";
import { ServiceRefusal } from "../transport/failures.ts";
import { idOf, isEmpty, sameValue } from "../dialect/values.ts";

type Arrays = Readonly<Record<string, ArrayChange>>;
/** Sends these array properties, together with the plain fields or alone, and answers the record afterwards. */
type Put = (arrays: Readonly<Record<string, Json>>, plain: boolean) => Promise<JsonObject>;
type Read = () => Promise<JsonObject>;

/**
 * Changes of arrays: our ids come and go, the others' stay. `{ action, ids }` is used once it has been seen to work on
 * this property; its first use is watched, corrected where a tenant takes it for something else, and not used again.
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
    return verdicts.includes(undefined) ? this.#watched(resource, arrays, put, read) : byAction(arrays, put);
  }

  /**
   * Others change the same arrays meanwhile, and that can look like a misread action. Before anything is corrected, the
   * change is undone and done again: only an action that is understood does both.
   */
  async #watched(resource: ResourceName, arrays: Arrays, put: Put, read: Read): Promise<JsonObject> {
    const before = await read();
    const first = await byAction(arrays, put).catch(unlessRefused);
    const isClear = first === undefined || (isDone(arrays, first) && !isAnyLost(arrays, before, first));
    const after = isClear ? first : await undoneAndDone(arrays, put).catch(unlessRefused);
    if (after !== undefined) {
      if (namesOf(arrays).every((name) => isProof(arrays[name]!, before[name]))) this.#settle(resource, arrays, true);
      return after;
    }
    const left = await read();
    const wanted = wholeArrays(arrays, first === undefined ? left : restored(arrays, before, left));
    const corrected = await put(wanted, true);
    if (shows(corrected, wanted)) {
      this.#settle(resource, arrays, false);
      this.#logger.warn(
        { resource, fields: namesOf(arrays) },
        "array action was not understood, so the array was corrected",
      );
    }
    return corrected;
  }

  #settle(resource: ResourceName, arrays: Arrays, works: boolean): void {
    for (const name of namesOf(arrays)) this.#proven.set(`${resource}.${name}`, works);
  }
}

function namesOf(arrays: Arrays): string[] {
  return Object.keys(arrays);
}

function unlessRefused(thrown: unknown): undefined {
  if (!(thrown instanceof ServiceRefusal)) throw thrown;
}

/** The ids that the change does not concern: a tenant that takes the action for the whole array loses all of them. */
function bystanders({ add, remove }: ArrayChange, before: Json | undefined): number[] {
  return idsIn(before).filter((id) => !add.includes(id) && !remove.includes(id));
}

function isDone(arrays: Arrays, record: JsonObject): boolean {
  return droppedArrays(arrays, record).length === 0;
}

function isAnyLost(arrays: Arrays, before: JsonObject, after: JsonObject): boolean {
  return namesOf(arrays).some((name) => areLost(arrays[name]!, before[name], after[name]));
}

function areLost(change: ArrayChange, before: Json | undefined, after: Json | undefined): boolean {
  const others = bystanders(change, before);
  const found = new Set(idsIn(after));
  return others.length > 0 && !others.some((id) => found.has(id));
}

/** An addition to nothing looks the same where the action is taken for the whole array. */
function isProof(change: ArrayChange, before: Json | undefined): boolean {
  return change.remove.length > 0 || bystanders(change, before).length > 0;
}

/** The arrays as they should be before the change: as they are now, with the ids back that the action has wiped out. */
function restored(arrays: Arrays, before: JsonObject, after: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(arrays).map(([name, change]) => {
      const found = idsIn(after[name]);
      const isWiped = !Array.isArray(after[name]) || areLost(change, before[name], after[name]);
      return [name, isWiped ? [...idsIn(before[name]), ...found] : found];
    }),
  );
}

/** One property takes one action per request: where ids come and go, the going is a second request. */
async function byAction(arrays: Arrays, put: Put): Promise<JsonObject> {
  const first: Record<string, Json> = {};
  const second: Record<string, Json> = {};
  for (const [name, { add, remove }] of Object.entries(arrays)) {
    if (add.length > 0) first[name] = { action: "add", ids: [...add] };
    if (remove.length > 0) (add.length > 0 ? second : first)[name] = { action: "remove", ids: [...remove] };
  }
  const record = await put(first, true);
  return Object.keys(second).length === 0 ? record : put(second, false);
}

/** The record after the change was undone and done again by action; nothing where either did not happen. */
async function undoneAndDone(arrays: Arrays, put: Put): Promise<JsonObject | undefined> {
  const alone: Put = (actions) => put(actions, false);
  const undoing = Object.fromEntries(
    Object.entries(arrays).map(([name, { add, remove }]) => [name, { add: remove, remove: add }]),
  );
  if (!isDone(undoing, await byAction(undoing, alone))) return undefined;
  const record = await byAction(arrays, alone);
  return isDone(arrays, record) ? record : undefined;
}

function wholeArrays(arrays: Arrays, current: JsonObject): Record<string, Json> {
  return Object.fromEntries(Object.entries(arrays).map(([name, change]) => [name, merged(current[name], change)]));
}

/**
 * The record, if its arrays can be written whole: an entry that is no id would be lost.
 * @throws {RetryError} E_SERVICE_ANSWER
 */
function understood(arrays: Arrays, record: JsonObject): JsonObject {
  for (const name of namesOf(arrays)) {
    const shown = record[name];
    if (isEmpty(shown) || (Array.isArray(shown) && shown.every((item) => idOf(item) !== undefined))) continue;
    const text = `the service shows ${name} as ${JSON.stringify(shown).slice(0, 100)}, expected a list of ids: what it holds would be lost`;
    throw new RetryError("E_SERVICE_ANSWER", text, { details: { field: name } });
  }
  return record;
}

function shows(record: JsonObject, wanted: Readonly<Record<string, Json>>): boolean {
  return Object.entries(wanted).every(([name, ids]) => sameValue(ids, idsIn(record[name])));
}

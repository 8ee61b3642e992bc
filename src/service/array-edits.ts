import type { Json, JsonObject, ResourceName } from "#model";
import type { Logger } from "#telemetry";
import { idsIn, merged } from "./compare.ts";
import type { ArrayChange } from "./contract.ts";
import { ServiceRefusal } from "./failures.ts";
import { sameValue } from "./values.ts";

type Arrays = Readonly<Record<string, ArrayChange>>;
/** Sends these array properties, together with the plain fields or alone, and answers the record afterwards. */
type Put = (arrays: Readonly<Record<string, Json>>, plain: boolean) => Promise<JsonObject>;
type Read = () => Promise<JsonObject>;

/**
 * Changes of arrays: our ids come and go, the others' stay. `{ action, ids }` is used once it has been seen to work on
 * this property; its first use is watched, put right where a tenant takes it for something else, and not used again.
 */
export class ArrayEdits {
  readonly #mode: "object" | "merge";
  readonly #logger: Logger;
  readonly #proven = new Map<string, boolean>();

  constructor(mode: "object" | "merge", logger: Logger) {
    this.#mode = mode;
    this.#logger = logger;
  }

  async write(resource: ResourceName, arrays: Arrays, put: Put, read: Read): Promise<JsonObject> {
    const names = Object.keys(arrays);
    if (names.length === 0) return put({}, true);
    const verdicts = names.map((name) => this.#proven.get(`${resource}.${name}`));
    if (this.#mode === "merge" || verdicts.includes(false)) return put(wholeArrays(arrays, await read()), true);
    return verdicts.includes(undefined) ? this.#watched(resource, arrays, put, read) : byAction(arrays, put);
  }

  async #watched(resource: ResourceName, arrays: Arrays, put: Put, read: Read): Promise<JsonObject> {
    const wanted = wholeArrays(arrays, await read());
    let after: JsonObject | undefined;
    try {
      after = await byAction(arrays, put);
    } catch (thrown) {
      if (!(thrown instanceof ServiceRefusal)) throw thrown;
    }
    if (after !== undefined && shows(after, wanted)) {
      this.#settle(resource, arrays, true);
      return after;
    }
    const corrected = await put(wanted, true);
    if (shows(corrected, wanted)) {
      this.#settle(resource, arrays, false);
      this.#logger.warn({ resource, fields: Object.keys(arrays) }, "array action was not understood and was put right");
    }
    return corrected;
  }

  #settle(resource: ResourceName, arrays: Arrays, works: boolean): void {
    for (const name of Object.keys(arrays)) this.#proven.set(`${resource}.${name}`, works);
  }
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

function wholeArrays(arrays: Arrays, current: JsonObject): Record<string, Json> {
  return Object.fromEntries(Object.entries(arrays).map(([name, change]) => [name, merged(current[name], change)]));
}

function shows(record: JsonObject, wanted: Readonly<Record<string, Json>>): boolean {
  return Object.entries(wanted).every(([name, ids]) => sameValue(ids, idsIn(record[name])));
}

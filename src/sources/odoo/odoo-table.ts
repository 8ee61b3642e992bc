import type { Json, JsonObject, Key, Row } from "#model";
import { decodeStamp, encodeStamp } from "../wire/stamps/stamp-format.ts";
import { keyOf, rowsAt } from "../wire/stamps/values.ts";
import type { WallRange } from "../wire/stamps/wall.ts";
import type { KeyPage, Scope, StampPage, WireRow, WireTable } from "../wire/table.ts";
import { PageGauge } from "../wire/walk/paging.ts";
import { RowReader } from "../wire/walk/read-rows.ts";
import type { OdooClient } from "./client.ts";
import { Links } from "./links.ts";
import { assertFields, fieldTypes, plainRecord, type FieldTypes } from "./record.ts";
import type { OdooRead } from "./schema.ts";

/**
 * A model as a table to walk. `write_date` is stored in microseconds and shown in seconds, and comparisons by `>` differ between
 * versions. So only `>=` and `<` on whole seconds are used, and records within one second are paged by id.
 */
export class OdooTable implements WireTable {
  readonly name: string;
  readonly stampField: string;
  readonly sorted = true;
  readonly bounded = true;
  readonly keyset = true;
  readonly reader: RowReader;
  readonly #client: OdooClient;
  readonly #read: OdooRead;
  readonly #links: Links;
  readonly #gauge = new PageGauge();
  #types: Promise<FieldTypes> | undefined;
  /** The field types of the last answer's rows. */
  #known: FieldTypes = new Map();

  constructor(client: OdooClient, read: OdooRead) {
    this.name = read.model;
    this.stampField = read.changed ?? "";
    this.#client = client;
    this.#read = read;
    this.#links = new Links(client, read.fields);
    const { changed, key } = read;
    this.reader = new RowReader({
      name: this.name,
      stampField: this.stampField,
      key: (record) => keyOf(record, [key]),
      row: (record) => plainRecord(record, this.#known),
      stamp: (record) => (changed === null ? undefined : decodeStamp(record[changed], "local", "UTC", changed)),
    });
  }

  async byStamp(range: WallRange, signal: AbortSignal): Promise<StampPage> {
    await this.#fieldTypes(signal);
    const records = await this.#search(this.#inRange(range), `${this.stampField} asc, id asc`, signal);
    return { rows: this.reader.read(records), more: this.#full(records) };
  }

  async byKey(scope: Scope, after: Json | undefined, signal: AbortSignal, keysOnly = false): Promise<KeyPage> {
    await this.#fieldTypes(signal);
    const domain = [...this.#inScope(scope), ...(after === undefined ? [] : [["id", ">", after]])];
    const records = await (keysOnly ? this.#searchKeys(domain, signal) : this.#search(domain, "id asc", signal));
    const rows = this.reader.read(records, keysOnly);
    const last = records.at(-1)?.["id"];
    return this.#full(records) && last !== undefined ? { rows, next: last } : { rows };
  }

  async one(key: Key, signal: AbortSignal): Promise<Row | undefined> {
    const found = await this.#raw(key, signal);
    return found === undefined ? undefined : plainRecord(found, this.#known);
  }

  async find(key: Key, signal: AbortSignal): Promise<WireRow | undefined> {
    const found = await this.#raw(key, signal);
    return found === undefined ? undefined : this.reader.read([found])[0];
  }

  async #raw(key: Key, signal: AbortSignal): Promise<JsonObject | undefined> {
    const types = await this.#fieldTypes(signal);
    const value = types.get(this.#read.key) === "integer" ? Number(key) : key;
    if (!isAskable(value)) return undefined;
    const records = await this.#search([[this.#read.key, "=", value]], "id asc", signal);
    return records.find((record) => keyOf(record, [this.#read.key]) === key);
  }

  /** @throws any error about one odd record. The caller then reads the records one by one. */
  async many(keys: readonly Key[], signal: AbortSignal): Promise<ReadonlyMap<Key, Row>> {
    const types = await this.#fieldTypes(signal);
    const isInteger = types.get(this.#read.key) === "integer";
    const values = keys.map((key) => (isInteger ? Number(key) : key)).filter(isAskable);
    const wanted = new Set(keys);
    const found = new Map<Key, Row>();
    for (let at = 0; at < values.length; at += this.#read.size) {
      const some = values.slice(at, at + this.#read.size);
      const records = await this.#search([[this.#read.key, "in", some]], "id asc", signal);
      for (const record of records) {
        const key = keyOf(record, [this.#read.key]);
        if (wanted.has(key) && !found.has(key)) found.set(key, plainRecord(record, types));
      }
    }
    return found;
  }

  /** The records with all that the stream reads. */
  async #search(domain: Json[], order: string, signal: AbortSignal): Promise<readonly JsonObject[]> {
    return this.#links.filled(await this.#ask(domain, order, this.#fields(), signal), signal);
  }

  async #searchKeys(domain: Json[], signal: AbortSignal): Promise<readonly JsonObject[]> {
    return this.#ask(domain, "id asc", [...new Set(["id", this.#read.key])], signal);
  }

  async #ask(domain: Json[], order: string, fields: string[], signal: AbortSignal): Promise<readonly JsonObject[]> {
    const { model, domain: fixed, archived, context, size } = this.#read;
    const parameters: JsonObject = {
      domain: [...fixed, ...domain],
      fields,
      order,
      limit: size,
      context: { ...context, ...(archived ? { active_test: false } : {}) },
    };
    return rowsAt(await this.#client.call(model, "search_read", parameters, signal), "");
  }

  /** Returns the field types, which are read once. Checks that every field that the stream names exists. */
  async #fieldTypes(signal: AbortSignal): Promise<FieldTypes> {
    const { model } = this.#read;
    this.#types ??= this.#client
      .call(model, "fields_get", { attributes: ["type", "relation"] }, signal)
      .then(async (answer) => {
        const own = fieldTypes(answer, model);
        assertFields(own, this.#fields(), model);
        return new Map([...own, ...(await this.#links.types(answer, model, signal))]);
      });
    try {
      const types = await this.#types;
      this.#known = types;
      return types;
    } catch (thrown) {
      this.#types = undefined;
      throw thrown;
    }
  }

  #fields(): string[] {
    const { key, changed, fields } = this.#read;
    return [...new Set(["id", key, ...(changed === null ? [] : [changed]), ...Links.own(fields)])];
  }

  #inScope(scope: Scope): Json[] {
    if (scope.kind === "all") return [];
    return scope.kind === "null" ? [[this.stampField, "=", false]] : this.#inRange(scope.range);
  }

  #inRange({ from, below }: WallRange): Json[] {
    return [
      ...(from === undefined ? [] : [[this.stampField, ">=", encodeStamp(from, "local", "second")]]),
      ...(below === undefined ? [] : [[this.stampField, "<", encodeStamp(below, "local", "second")]]),
    ];
  }

  #full(records: readonly JsonObject[]): boolean {
    return this.#gauge.mayContinue(records.length, this.#read.size);
  }
}

/** Whether a value can be looked up: a number that is not an id cannot be one's key. */
function isAskable(value: number | string): boolean {
  return typeof value === "string" || Number.isSafeInteger(value);
}

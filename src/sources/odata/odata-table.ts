import { z } from "zod";
import { joinKey, ParkError, splitKey, type Json, type JsonObject, type Key, type Row } from "#model";
import { jsonText, keyParts, lastKey } from "../wire/stamps/values.ts";
import type { KeyPage, Scope, WireRow, WireTable } from "../wire/table.ts";
import { assertKeysSorted } from "../wire/walk/assertions.ts";
import { EmptyPages, PageGauge } from "../wire/walk/paging.ts";
import { RowReader } from "../wire/walk/read-rows.ts";
import type { ODataClient } from "./client.ts";
import { literal } from "./literal.ts";
import { typeOf, type EntityShape } from "./metadata.ts";
import type { Manners } from "./presets.ts";
import type { ODataRead } from "./schema.ts";
import type { ODataStamp } from "./stamp.ts";
import { plainRow } from "./values.ts";

/** An entity set as a table to walk by one of its stamps. */
export class ODataTable implements WireTable {
  readonly name: string;
  readonly stampField: string;
  readonly sorted = true;
  readonly bounded = true;
  readonly keyset: boolean;
  readonly reader: RowReader;
  readonly #client: ODataClient;
  readonly #manners: Manners;
  readonly #read: ODataRead;
  readonly #stamp: ODataStamp | undefined;
  readonly #gauge = new PageGauge();
  /** The key properties of the last answer's rows, and the types of all properties. */
  #keys: readonly string[] = [];
  #types: ReadonlyMap<string, string> | undefined;

  constructor(client: ODataClient, manners: Manners, read: ODataRead, stamp: ODataStamp | undefined) {
    this.name = read.entity;
    this.stampField = stamp?.properties.join(" and ") ?? "";
    this.keyset = read.pageBy === "key";
    this.#client = client;
    this.#manners = manners;
    this.#read = read;
    this.#stamp = stamp;
    this.reader = new RowReader({
      name: this.name,
      stampField: this.stampField,
      key: (raw) => joinKey(keyParts(raw, this.#keys).map(jsonText)),
      row: (raw) => plainRow(raw, this.#types),
      stamp: (raw) => stamp?.decode(raw),
    });
  }

  async byStamp(range: Parameters<WireTable["byStamp"]>[0], signal: AbortSignal) {
    const { keys } = await this.#shape(signal);
    const stamp = this.#stamp!;
    const order = [...stamp.properties, ...keys];
    const { rows, more } = await this.#page(this.#address(stamp.inside(range), order, this.#columns(keys)), signal);
    return { rows: this.reader.read(rows), more };
  }

  async byKey(scope: Scope, after: Json | undefined, signal: AbortSignal, keysOnly = false): Promise<KeyPage> {
    const shape = await this.#shape(signal);
    const { keys } = shape;
    const place = this.keyset && after !== undefined ? keyPlace(after) : undefined;
    const write = (part: string, key: string) => literal(part, typeOf(shape, this.name, key), this.#manners);
    const conditions = [...this.#inScope(scope), ...(place === undefined ? [] : keyConditions(place, keys, write))];
    const skip = typeof after === "number" ? after : 0;
    const columns = keysOnly ? this.#keyColumns(keys) : this.#columns(keys);
    const url = typeof after === "string" ? after : this.#address(conditions, keys, columns, { bare: keysOnly, skip });
    const { rows, more, next } = await this.#page(url, signal);
    // The keys of members are inside the entities.
    const page = this.reader.read(rows, keysOnly && this.#read.each === undefined);
    if (!this.keyset) return more ? { rows: page, next: next ?? skip + rows.length } : { rows: page };
    if (more) assertKeysSorted(this.name, rows, keys[0]!, "set `pageBy: link`");
    const last = more && rows.length > 0 ? lastKey(rows, keys).map(String) : undefined;
    const following = nextPlace(last, more, place);
    return following === undefined
      ? { rows: page }
      : { rows: page, next: { ...following, parts: [...following.parts] } };
  }

  async one(key: Key, signal: AbortSignal): Promise<Row | undefined> {
    const found = await this.#raw(key, signal);
    return found === undefined ? undefined : plainRow(found, this.#types);
  }

  async find(key: Key, signal: AbortSignal): Promise<WireRow | undefined> {
    const found = await this.#raw(key, signal);
    return found === undefined ? undefined : this.reader.read([found])[0];
  }

  async #raw(key: Key, signal: AbortSignal): Promise<JsonObject | undefined> {
    const shape = await this.#shape(signal);
    const parts = splitKey(key);
    if (parts.length !== shape.keys.length) return undefined;
    const conditions = shape.keys.map(
      (name, index) => `${name} eq ${literal(parts[index]!, typeOf(shape, this.name, name), this.#manners)}`,
    );
    const { rows } = await this.#page(this.#address(conditions, [], this.#columns(shape.keys)), signal);
    return rows.find((row) => joinKey(keyParts(row, shape.keys)) === key);
  }

  /** Returns the set's shape with the stream's own key. Checks that every property that the stream names exists. */
  async #shape(signal: AbortSignal): Promise<EntityShape> {
    const { key = [], select = [], each } = this.#read;
    const own = select.filter((name) => !name.includes("/"));
    const list = each === undefined || this.#linked(each.in).length > 0 ? [] : [each.in];
    const names = [...key, ...(this.#stamp?.properties ?? []), ...own, ...list];
    const shape = await this.#client.shape(this.name, names, signal);
    const keys = this.#read.key ?? shape.keys;
    if (keys.length === 0)
      throw new ParkError(
        "E_SOURCE_METADATA",
        `${this.name} has no key in $metadata: name properties that are unique together in \`key\``,
      );
    this.#keys = keys;
    this.#types = shape.types;
    return { ...shape, keys };
  }

  #inScope(scope: Scope): readonly string[] {
    if (scope.kind === "all" || this.#stamp === undefined) return [];
    return scope.kind === "null" ? [this.#stamp.isNull] : this.#stamp.inside(scope.range);
  }

  #columns(keys: readonly string[]): string | undefined {
    const { select, expand, each } = this.#read;
    if (select === undefined) return undefined;
    const v2 = this.#manners.version === "v2" ? expand : [];
    const list = each === undefined || this.#linked(each.in).length > 0 ? [] : [each.in];
    return [...new Set([...keys, ...(this.#stamp?.properties ?? []), ...select, ...list, ...v2])].join(",");
  }

  /** What a walk over keys selects: the keys, and the list whose members have keys of their own. */
  #keyColumns(keys: readonly string[]): string {
    const { each } = this.#read;
    if (each === undefined) return keys.join(",");
    const isLinked = this.#linked(each.in).length > 0;
    return (isLinked && this.#manners.version === "v4" ? keys : [...keys, each.in]).join(",");
  }

  /** The entries of `expand` that show a link. */
  #linked(name: string): readonly string[] {
    return this.#read.expand.filter((entry) => entry.split(/[(/]/, 1)[0] === name);
  }

  #address(
    conditions: readonly string[],
    order: readonly string[],
    select: string | undefined,
    { bare = false, skip = 0 }: { bare?: boolean; skip?: number } = {},
  ): string {
    const { entity, filter, expand, each, size } = this.#read;
    const kept = each === undefined ? [] : this.#linked(each.in);
    const all = [...(filter === undefined ? [] : [`(${filter})`]), ...conditions];
    return this.#client.address(entity, {
      $filter: all.join(" and "),
      $orderby: order.join(","),
      $select: select,
      $expand: (bare ? kept : expand).join(","),
      $skip: skip > 0 ? String(skip) : undefined,
      ...(this.#manners.version === "v2" ? { $top: String(size), $format: "json" } : {}),
    });
  }

  /** Reads a page with at least one row, unless it is the last: a service may give an empty page with a link to the next. */
  async #page(
    url: string,
    signal: AbortSignal,
  ): Promise<{ rows: readonly JsonObject[]; more: boolean; next?: string }> {
    const { size } = this.#read;
    const empty = new EmptyPages(this.name);
    let answer = await this.#client.page(url, size, signal);
    while (answer.rows.length === 0 && answer.next !== undefined) {
      await empty.pass(0, signal);
      answer = await this.#client.page(answer.next, size, signal);
    }
    const { rows, next } = answer;
    const full = this.#manners.version === "v2" && this.#gauge.mayContinue(rows.length, size);
    return { rows, more: next !== undefined || full, ...(next === undefined ? {} : { next }) };
  }
}

/**
 * Where a page by key begins: after `parts`, among the rows that share the first `level` of them. This needs only comparisons
 * joined by `and`, because some services refuse `or` over two properties.
 */
interface KeyPlace {
  readonly parts: readonly string[];
  readonly level: number;
}

const placeSchema = z.strictObject({ parts: z.array(z.string()), level: z.int() });

/** @throws {ParkError} E_SOURCE_CURSOR */
function keyPlace(after: Json): KeyPlace {
  const parsed = placeSchema.safeParse(after);
  if (parsed.success) return parsed.data;
  throw new ParkError(
    "E_SOURCE_CURSOR",
    "the stored cursor names no key of this entity set; reset the stream's cursor",
  );
}

function keyConditions(
  place: KeyPlace,
  keys: readonly string[],
  write: (part: string, key: string) => string,
): string[] {
  return keys
    .slice(0, place.level + 1)
    .map((key, index) => `${key} ${index < place.level ? "eq" : "gt"} ${write(place.parts[index]!, key)}`);
}

/** Returns where to continue after a page: after its last row, or one level up if no row is left there; undefined at the end. */
function nextPlace(
  last: readonly string[] | undefined,
  more: boolean,
  before: KeyPlace | undefined,
): KeyPlace | undefined {
  if (more && last !== undefined) return { parts: last, level: last.length - 1 };
  return before === undefined || before.level === 0 ? undefined : { parts: before.parts, level: before.level - 1 };
}

import { isJsonObject, type Json, type JsonObject } from "#model";
import type { Resource } from "../catalogue/resource.ts";
import { versionAsOf, type StoredRecord } from "../records/version.ts";
import { Refusal, json, type Answer } from "./answer.ts";
import type { FullText } from "./full-text.ts";
import type { Shaper } from "./shape.ts";
import { similarity } from "./similarity.ts";
import { sees, type Caller, type Tenant } from "./tenant.ts";

interface Hit {
  readonly record: StoredRecord;
  readonly score: number;
}

/** Ways to find a record that are not lists: guess, global search, find by number. */
export class Lookups {
  readonly #tenant: Tenant;
  readonly #shaper: Shaper;
  readonly #fullText: FullText;

  constructor(tenant: Tenant, shaper: Shaper, fullText: FullText) {
    this.#tenant = tenant;
    this.#shaper = shaper;
    this.#fullText = fullText;
  }

  /** `[{ eid, data }]` to `[{ eid, id, itemData }]`: exact matches, or with `similarity` also near ones and their data. */
  guess(resource: Resource, body: Json, query: URLSearchParams | undefined, caller: Caller): Answer {
    const spec = resource.guess;
    if (spec === undefined || !this.#tenant.switches.guess)
      throw new Refusal(404, `there is no guess for ${resource.wire}`);
    if (!Array.isArray(body)) throw new Refusal(400, "guess wants an array");
    const least = spec.similarity ? readSimilarity(query?.get("similarity") ?? null) : undefined;
    const plan = this.#shaper.plan(resource, "one", query?.get("fields") ?? null);
    const answers: JsonObject[] = [];
    for (const entry of body) {
      if (!isJsonObject(entry) || !isJsonObject(entry["data"])) throw new Refusal(400, "guess wants { eid, data }");
      const eid = entry["eid"] ?? null;
      if (typeof eid !== "string" && typeof eid !== "number") throw new Refusal(400, "eid must be a text");
      const data = this.#readData(resource, entry["data"]);
      const hits = spec.broken === true ? [] : this.#hits(resource, data, least, caller);
      if (hits.length === 0) answers.push({ eid, id: null, itemData: null });
      const told = least === undefined && this.#tenant.switches.guessHits === "first" ? hits.slice(0, 1) : hits;
      for (const { record } of told)
        answers.push({ eid, id: record.id, itemData: least === undefined ? null : this.#shaper.shape(record, plan) });
    }
    return json(answers);
  }

  /** The ids of everything that holds the term, by kind of record. */
  search(term: string, caller: Caller): Answer {
    if (!this.#tenant.switches.search) throw new Refusal(404, "there is no search");
    const found: JsonObject = {};
    for (const resource of this.#tenant.catalogue.resources.values()) {
      if (resource.searchKey === undefined) continue;
      const matches = this.#fullText.matcher(resource, term, caller);
      const ids: number[] = [];
      for (const row of this.#tenant.database.table(resource.name).rows())
        if (matches(row) && sees(caller.account, resource.name, row.version.record!)) ids.push(row.id);
      found[this.#tenant.catalogue.brand.wire(resource.searchKey)] = ids;
    }
    return json(found);
  }

  byNumber(resource: Resource, number: string, fields: string | null, caller: Caller): Answer {
    if (resource.number === undefined) throw new Refusal(404, `${resource.wire} cannot be found by number`);
    const [row] = this.#tenant.database.table(resource.name).find(resource.number, number);
    const record = row?.version.record;
    if (record === undefined || !sees(caller.account, resource.name, record))
      return this.#tenant.notFound(resource, number);
    return json(this.#shaper.shape(record, this.#shaper.plan(resource, "one", fields)));
  }

  /** Keys by neutral name; those the guess does not know are ignored. */
  #readData(resource: Resource, sent: JsonObject): Map<string, string | number> {
    const data = new Map<string, string | number>();
    for (const key of resource.guess?.keys ?? []) {
      const value = sent[this.#tenant.catalogue.brand.wire(key)];
      if (typeof value === "string" || typeof value === "number") data.set(key, value);
    }
    for (const key of resource.guess?.required ?? []) if (!data.has(key)) throw new Refusal(400, `${key} is required`);
    return data;
  }

  #hits(
    resource: Resource,
    data: ReadonlyMap<string, string | number>,
    least: number | undefined,
    caller: Caller,
  ): Hit[] {
    if (data.size === 0) return [];
    const { guessCase, guessCombines } = this.#tenant.switches;
    const exact = least === undefined && guessCase === "exact" && caller.guessLagMs === 0;
    const table = this.#tenant.database.table(resource.name);
    const rows = exact && guessCombines === "and" ? table.find(...[...data].at(-1)!) : table.rows();
    const asOf = this.#tenant.clock.now() - caller.guessLagMs;
    const hits: Hit[] = [];
    for (const row of rows) {
      const record = (caller.guessLagMs === 0 ? row.version : versionAsOf(row.version, asOf))?.record;
      if (record === undefined || !sees(caller.account, resource.name, record)) continue;
      const score = this.#score(resource, record, data);
      if (score >= (least ?? 1)) hits.push({ record, score });
    }
    return hits.toSorted((a, b) => b.score - a.score || a.record.id - b.record.id);
  }

  /** 1 for an exact match. Keys of links and required keys must always hold; text decides how near a record is. */
  #score(resource: Resource, record: StoredRecord, data: ReadonlyMap<string, string | number>): number {
    const insensitive = this.#tenant.switches.guessCase === "insensitive";
    const scores: number[] = [];
    for (const [key, wanted] of data) {
      const found = record[key];
      const near = typeof wanted === "string" && typeof found === "string" ? similarity(wanted, found, insensitive) : 0;
      const score = found === wanted ? 1 : near;
      if (score < 1 && resource.guess?.required?.includes(key)) return 0;
      scores.push(score);
    }
    const optional = scores.length > (resource.guess?.required?.length ?? 0);
    if (this.#tenant.switches.guessCombines === "and" || !optional) return Math.min(...scores);
    return Math.max(...scores.slice(resource.guess?.required?.length ?? 0));
  }
}

function readSimilarity(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) throw new Refusal(400, "similarity must be a number from 0 to 1");
  return value;
}

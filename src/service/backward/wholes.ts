import { isJsonObject, RetryError, type Json, type JsonObject, type ResourceName, type ServiceId } from "#model";
import { resourceFacts } from "../catalogue/catalogue.ts";
import { serviceIdOf } from "../dialect/values.ts";
import type { Lists } from "../reads/lists.ts";
import type { Records } from "../reads/records.ts";
import { isRefusal } from "../transport/failures.ts";
import { listsOf, summandsOf, totalsOf, wrongTotal } from "./report-lines.ts";
import type { WholeQuery } from "./queries.ts";

interface WholeDeps {
  readonly records: Pick<Records, "read">;
  /** Lists below one record. */
  readonly lists: Pick<Lists, "below">;
}

const TRIES = 3;

/**
 * Reads records together with their lists, as they were at one moment: the service has no snapshot, so the head is read before and after
 * the lists, and the sums of the lines are compared with the totals that it shows.
 */
export class Wholes {
  readonly #deps: WholeDeps;
  /** Whether this tenant expands lists in one answer; undefined until an answer with a filled list has shown it. */
  readonly #expands = new Map<ResourceName, boolean>();

  constructor(deps: WholeDeps) {
    this.#deps = deps;
  }

  /**
   * The record; undefined when the service does not have it.
   * @throws {RetryError} E_RETURN_MOVING when it changed during three readings, or its lines never added up to its totals.
   */
  async read(
    resource: ResourceName,
    id: ServiceId,
    query: WholeQuery,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    const totals = totalsOf(resource, query.lists);
    const asked = { fields: [...new Set([...query.fields, "modified", ...totals])], lists: withSummands(query.lists) };
    let found = "";
    for (let count = 0; count < TRIES; count++) {
      const read = await this.#once(resource, id, asked, signal);
      if (read === undefined || typeof read === "object") {
        const wrong = read && wrongTotal(resource, read, query.lists);
        if (wrong === undefined) return read;
        found = wrong;
      } else found = read;
    }
    const message = `${resource} ${id} could not be read as a whole, three times in a row: ${found}`;
    throw new RetryError("E_RETURN_MOVING", message, { details: { resource, serviceId: id } });
  }

  /** The record, undefined when there is none, or what changed while it was read. */
  async #once(
    resource: ResourceName,
    id: ServiceId,
    { fields, lists }: WholeQuery,
    signal: AbortSignal,
  ): Promise<JsonObject | string | undefined> {
    if (Object.keys(lists).length === 0) return this.#deps.records.read(resource, id, fields, signal);
    if (this.#expands.get(resource) !== false) {
      const record = await this.#atOnce(resource, id, { fields, lists }, signal);
      if (record !== "bare") return record;
    }
    const head = await this.#deps.records.read(resource, id, fields, signal);
    if (head === undefined) return undefined;
    let whole: JsonObject;
    try {
      whole = await this.#withLists(resource, head, lists, {}, signal);
    } catch (thrown) {
      if (thrown instanceof RetryError && thrown.code === "E_LIST_UNSTABLE") return thrown.message;
      throw thrown;
    }
    const after = await this.#deps.records.read(resource, id, ["modified"], signal);
    if (after === undefined) return "it was deleted while it was read";
    return after["modified"] === head["modified"] ? whole : "it changed while it was read";
  }

  /** One request for all; `bare` where the answer shows ids in place of records, or the service refuses the question. */
  async #atOnce(
    resource: ResourceName,
    id: ServiceId,
    query: WholeQuery,
    signal: AbortSignal,
  ): Promise<JsonObject | "bare" | undefined> {
    let record: JsonObject | undefined;
    try {
      record = await this.#deps.records.read(resource, id, dotted(query), signal);
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      return "bare";
    }
    if (record === undefined) return undefined;
    const shown = shows(record, query.lists);
    if (shown !== "empty") this.#expands.set(resource, shown === "records");
    return shown === "ids" ? "bare" : record;
  }

  async #withLists(
    resource: ResourceName,
    head: JsonObject,
    lists: WholeQuery["lists"],
    above: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const whole: Record<string, Json> = { ...head };
    for (const [field, query] of Object.entries(lists)) {
      const child = listsOf(resource)[field];
      const link = child && resourceFacts(child).parent?.field;
      if (child === undefined || link === undefined) continue;
      const scope = { ...above, [link]: head["id"] ?? null };
      const records: JsonObject[] = [];
      for await (const rows of this.#deps.lists.below(child, { fields: query.fields }, scope, signal))
        for (const row of rows) records.push(await this.#withLists(child, row, query.lists, scope, signal));
      whole[field] = records.toSorted((one, other) => (serviceIdOf(one) ?? 0) - (serviceIdOf(other) ?? 0));
    }
    return whole;
  }
}

/** Also the fields that the totals sum up. */
function withSummands(lists: WholeQuery["lists"]): WholeQuery["lists"] {
  return Object.fromEntries(
    Object.entries(lists).map(([field, query]) => [
      field,
      { fields: [...new Set(["id", ...query.fields, ...summandsOf(field)])], lists: withSummands(query.lists) },
    ]),
  );
}

/** `tasks.workLogs.time` */
function dotted({ fields, lists }: WholeQuery): string[] {
  return [
    ...fields,
    ...Object.entries(lists).flatMap(([field, query]) => dotted(query).map((name) => `${field}.${name}`)),
  ];
}

/** What is in the lists of an answer. */
function shows(record: JsonObject, lists: WholeQuery["lists"]): "records" | "ids" | "empty" {
  let shown: "records" | "empty" = "empty";
  for (const [field, query] of Object.entries(lists)) {
    const list = record[field];
    if (!Array.isArray(list)) return "ids";
    for (const item of list) {
      if (!isJsonObject(item) || serviceIdOf(item) === undefined) return "ids";
      if (shows(item, query.lists) === "ids") return "ids";
      shown = "records";
    }
  }
  return shown;
}

import { canonicalJson, MINUTE_MS, SyncError, type JsonObject, type ResourceName } from "#model";
import type { ReturnStream } from "#mapping";
import { instantOf, serviceIdOf, totalsOf, type Service, type WholeQuery } from "#service";
import type { Listed, ReturnReader, WholeRecord } from "../contract.ts";
import { FilterWatch } from "./filter-watch.ts";
import { isJudgedByHead, wholeQuery } from "./whole-query.ts";
import { Handled, markAfter, windowOf, sinceOf, type ChangedRow, type WindowPlace } from "./window.ts";

/** Tells which subjects of a stream have a version. */
export interface KnownReturns {
  latest(stream: string, subjects: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
}

export interface RecordReaderDeps {
  readonly service: Pick<Service, "backward" | "now">;
  readonly returns: KnownReturns;
  /** Whether a row can be news to the ERP. Absent: every one can. */
  readonly isNews?: (row: JsonObject) => Promise<boolean>;
}

const BATCH = 100;
/** Where a filter shows what became final, all other changes (an approval taken back, a correction) are looked for this often. */
const ALL_CHANGES_MS = 10 * MINUTE_MS;

/** Finds and reads records of the service that are to be returned: service records with their lines, or the status of a ticket. */
export class RecordReader implements ReturnReader {
  readonly #deps: RecordReaderDeps;
  readonly #stream: ReturnStream;
  readonly #resource: ResourceName;
  readonly #query: WholeQuery;
  readonly #totals: readonly string[];
  readonly #isJudgedByHead: boolean;
  readonly #handled = new Handled();
  readonly #watch: FilterWatch;
  /** What shows that a report became final, and the filter for it. */
  readonly #final:
    | {
        readonly filter: "approvedSince" | "finishedSince";
        readonly flag: "approved" | "finished";
        readonly stamp: "approvedDate" | "finishedDate";
      }
    | undefined;

  constructor(deps: RecordReaderDeps, stream: ReturnStream, resource: ResourceName) {
    this.#deps = deps;
    this.#stream = stream;
    this.#resource = resource;
    this.#query = wholeQuery(resource, stream);
    this.#totals = totalsOf(resource, this.#query.lists);
    this.#isJudgedByHead = isJudgedByHead(resource, stream);
    const { finalBy } = stream;
    this.#final =
      finalBy && resource === "svcDocument"
        ? { filter: `${finalBy}Since`, flag: finalBy, stamp: `${finalBy}Date` }
        : undefined;
    this.#watch = new FilterWatch(({ subject, at }) => {
      const found = `it left out ${subject}, which was ${finalBy} at ${new Date(at).toISOString()}`;
      if (this.#final !== undefined) deps.service.backward.distrust(resource, this.#final.filter, found);
    });
  }

  async *changed(cursor: JsonObject | null, beginAt: number, signal: AbortSignal) {
    const readAt = this.#deps.service.now();
    const place = windowOf(cursor, beginAt, readAt);
    const { rows, next } = await this.#window(place, readAt, signal);
    if (cursor !== null && rows.length === 0 && isSame(place, next)) return;
    for (let at = 0; at + BATCH < rows.length; at += BATCH)
      yield { listed: rows.slice(at, at + BATCH), cursor: { ...place } };
    const rest = rows.slice(rows.length === 0 ? 0 : Math.floor((rows.length - 1) / BATCH) * BATCH);
    yield { listed: rest, cursor: { ...next } };
    // Asked for more, so the whole window was handled.
    this.#handled.add(rows, readAt);
  }

  async *all(beginAt: number, signal: AbortSignal): AsyncGenerator<readonly Listed[]> {
    const isSince = (row: JsonObject) => (lastStamp(row) ?? Infinity) >= beginAt;
    // Without any filter: this look finds what a filter hides.
    const { backward } = this.#deps.service;
    for await (const rows of backward.list(this.#resource, { fields: this.#fields }, signal))
      yield await this.#wanted(rows.filter(isSince), true);
  }

  async whole(subject: string, signal: AbortSignal): Promise<WholeRecord | undefined> {
    const serviceId = serviceIdOf(subject);
    if (serviceId === undefined) return undefined;
    const record = await this.#deps.service.backward.whole(this.#resource, serviceId, this.#query, signal);
    if (record === undefined) return undefined;
    const modifiedAt = instantOf(record["modified"]) ?? lastStamp(record) ?? this.#deps.service.now();
    return { subject, serviceId, modifiedAt, record };
  }

  get #fields(): readonly string[] {
    return [...new Set([...this.#query.fields, "modified", ...this.#totals])];
  }

  /** What is new since `place`, oldest first. */
  async #window(
    place: WindowPlace,
    readAt: number,
    signal: AbortSignal,
  ): Promise<{ rows: ChangedRow[]; next: WindowPlace }> {
    const name = this.#final?.filter;
    const isFiltered = name !== undefined && (await this.#deps.service.backward.obeys(this.#resource, name, signal));
    if (isFiltered && Math.abs(readAt - place.lookedAt) < ALL_CHANGES_MS) {
      try {
        return await this.#becameFinal(name, place, readAt, signal);
      } catch (thrown) {
        if (!isCanary(thrown)) throw thrown;
      }
    }
    return this.#changes(place, readAt, isFiltered, signal);
  }

  async #becameFinal(
    name: "approvedSince" | "finishedSince",
    place: WindowPlace,
    readAt: number,
    signal: AbortSignal,
  ): Promise<{ rows: ChangedRow[]; next: WindowPlace }> {
    const filter = { name, since: sinceOf(place.final) };
    const pages = this.#deps.service.backward.filtered(this.#resource, filter, this.#fields, signal);
    const { rows, finals } = await this.#collect(pages);
    this.#watch.shown(finals.keys(), readAt);
    return { rows, next: { ...place, final: markAfter(place.final, finals.values(), readAt) } };
  }

  async #changes(
    place: WindowPlace,
    readAt: number,
    isFiltered: boolean,
    signal: AbortSignal,
  ): Promise<{ rows: ChangedRow[]; next: WindowPlace }> {
    const query = { fields: this.#fields, changedSince: sinceOf(place.changed) };
    const { rows, finals, stamps } = await this.#collect(
      this.#deps.service.backward.list(this.#resource, query, signal),
    );
    if (isFiltered) this.#watch.compare(finals);
    const lookedAt = isFiltered ? readAt : place.lookedAt;
    return { rows, next: { ...place, changed: markAfter(place.changed, stamps, readAt), lookedAt } };
  }

  async #collect(pages: AsyncIterable<JsonObject[]>) {
    const found: ChangedRow[] = [];
    const finals = new Map<string, number>();
    const stamps: number[] = [];
    for await (const page of pages) {
      for (const row of page) {
        const { subject, modified } = this.#listed(row);
        if (modified !== undefined) stamps.push(modified);
        const finalAt = this.#finalAt(row);
        if (finalAt !== undefined) finals.set(subject, finalAt);
      }
      const news = page.filter((row) => !this.#handled.has(this.#listed(row)));
      found.push(...(await this.#wanted(news, false)));
    }
    return { rows: found.toSorted(order), finals, stamps };
  }

  /** The lines of a report may change without a change of its stamp: the totals show it. */
  #listed(row: JsonObject): ChangedRow {
    const head = canonicalJson(["modified", ...this.#totals].map((name) => row[name] ?? null));
    return { subject: String(serviceIdOf(row)), modified: instantOf(row["modified"]), head };
  }

  /** When the record of this row became final; undefined if it is not, or this stream has no such moment. */
  #finalAt(row: JsonObject): number | undefined {
    return this.#final !== undefined && row[this.#final.flag] === true ? instantOf(row[this.#final.stamp]) : undefined;
  }

  /** The rows that are to be returned, as far as their heads tell; with those that were returned before, unless only `final` ones are asked for. */
  async #wanted(rows: readonly JsonObject[], onlyFinal: boolean): Promise<ChangedRow[]> {
    const wanted: ChangedRow[] = [];
    const others: ChangedRow[] = [];
    for (const row of rows) {
      if (await this.#mayBeWanted(row)) wanted.push(this.#listed(row));
      else if (!onlyFinal) others.push(this.#listed(row));
    }
    if (others.length === 0) return wanted;
    const subjects = others.map(({ subject }) => subject);
    const known = await this.#deps.returns.latest(this.#stream.name, subjects);
    return [...wanted, ...others.filter(({ subject }) => known.has(subject))];
  }

  async #mayBeWanted(row: JsonObject): Promise<boolean> {
    const { isNews } = this.#deps;
    if (isNews !== undefined && !(await isNews(row))) return false;
    // A field that the list does not show may be there when the record is read.
    if (!this.#isJudgedByHead || !this.#stream.reads.every((name) => (name.split(".")[0] ?? name) in row)) return true;
    try {
      return await this.#stream.isWanted(row);
    } catch (thrown) {
      if (thrown instanceof SyncError) return true;
      throw thrown;
    }
  }
}

function order(one: ChangedRow, other: ChangedRow): number {
  // Two without a stamp have no difference.
  return (one.modified ?? Infinity) - (other.modified ?? Infinity) || Number(one.subject) - Number(other.subject);
}

/** The last moment that a row shows; undefined if it shows none. */
function lastStamp(row: JsonObject): number | undefined {
  const stamps = ["approvedDate", "finishedDate", "modified"].flatMap((name) => instantOf(row[name]) ?? []);
  return stamps.length === 0 ? undefined : Math.max(...stamps);
}

function isSame(one: WindowPlace, other: WindowPlace): boolean {
  return one.changed === other.changed && one.final === other.final && one.lookedAt === other.lookedAt;
}

function isCanary(thrown: unknown): boolean {
  return thrown instanceof SyncError && thrown.code === "E_RETURN_CANARY";
}

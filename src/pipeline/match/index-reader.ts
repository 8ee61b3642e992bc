import { DAY_MS, ParkError, RetryError, sleep, type Clock, type Json, type ResourceName, type ServiceId } from "#model";
import type { Service, ServiceRecord } from "#service";
import type { MatchEntry, MatchStore, NoteStore, RecordStore, Store } from "#store";
import type { Logger } from "#telemetry";
import { indexNote, type IndexFacts } from "../notes.ts";
import { EmptinessProof } from "./emptiness-proof.ts";
import { KEY_FORM, naturalKey, naturalKeys, ruleName, type KeyRule } from "./natural-key.ts";

/** How far before the newest known stamp a refresh begins, because clocks differ and transactions commit late. */
const REFRESH_OVERLAP_MS = 10 * 60_000;
/** How often a resource is read whole, to correct what a refresh by stamps never sees: deletions, and stamps set by hand. */
const WHOLE_EVERY_MS = 7 * DAY_MS;
/** The most that clocks of one service differ. A stamp further ahead is wrong. */
const AHEAD_MAX_MS = 60_000;
/** How long a read waits for other callers to share it, such as looks for creates that were interrupted together. */
const GATHER_MS = 500;
/**
 * How far before the newest known stamp a read for news begins. A record with an older stamp that appears later is found by the
 * last look, which reads as far back as a refresh.
 */
const NEWS_OVERLAP_MS = 2_000;
/** A list that lacks at least this many known records, and at least this share of them, may be short by mistake. */
const MISSING_COUNT = 10;
const MISSING_PART = 0.1;
/** How many missing records are read one by one to check whether they still exist. */
const MISSING_READ = 5;

export interface IndexReaderDeps {
  readonly store: MatchStore & RecordStore & NoteStore & Pick<Store, "cluster">;
  readonly service: Pick<Service, "list" | "read" | "now">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long after a write the service's lists may not show it yet, in milliseconds. */
  readonly settleMs: number;
}

/**
 * Reads resources of the service into the match index: first whole, then what changed since. Does not believe an empty or much
 * shorter list without proof, because records that the index lacks are created.
 */
export class IndexReader {
  readonly #deps: IndexReaderDeps;
  readonly #rules: ReadonlyMap<ResourceName, readonly KeyRule[]>;
  readonly #reading = new Map<ResourceName, Promise<void>>();
  /** Fresh reads that were requested and have not begun. */
  readonly #next = new Map<ResourceName, Promise<void>>();
  /** The same for reads of news. */
  readonly #nextNews = new Map<ResourceName, Promise<void>>();
  /** The newest stamp that this process has seen in a resource. */
  readonly #newest = new Map<ResourceName, number>();
  /** Resources that this process has read. An index of an earlier process may be older than the service, or a restored copy. */
  readonly #read = new Set<ResourceName>();
  readonly #emptiness: EmptinessProof;

  constructor(deps: IndexReaderDeps, rules: ReadonlyMap<ResourceName, readonly KeyRule[]>) {
    this.#deps = deps;
    this.#rules = rules;
    this.#emptiness = new EmptinessProof(deps.settleMs);
  }

  /** Makes sure that the index is younger than `maxAgeMs` and was read by this process. Callers share one read. */
  async freshen(resource: ResourceName, maxAgeMs: number, signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    // In parallel: one round trip to a remote store.
    const [index, facts] = await Promise.all([store.matchIndex(resource), store.note(indexNote(resource))]);
    const now = this.#deps.clock.now();
    // An index from the future was read before the clock was set back, so its age is unknown.
    const isYoung = index && index.readAt <= now && index.readAt >= now - maxAgeMs;
    if (isYoung && this.#read.has(resource) && facts?.rules === this.#ruleNames(resource)) return;
    await joined(() => this.#reading.get(resource) ?? this.#begin(resource, signal), signal);
  }

  /**
   * Waits for a read that begins after this call. Calls shortly before it begins share it. Ignores the index's age, because clocks
   * are set back and a create must not be done twice.
   */
  async readAfresh(resource: ResourceName, signal: AbortSignal): Promise<void> {
    await joined(() => {
      const next = this.#next.get(resource) ?? this.#gather(resource, signal);
      this.#next.set(resource, next);
      return next;
    }, signal);
  }

  async #gather(resource: ResourceName, signal: AbortSignal): Promise<void> {
    await sleep(GATHER_MS, signal);
    await this.#readingEnded(resource);
    this.#next.delete(resource);
    await this.#begin(resource, signal);
  }

  /**
   * Reads records that are new since the last read, by a read that begins after this call and is shared in the same way. It does
   * not make the index younger. If this process has not read the resource yet, does its first read instead.
   */
  async readNews(resource: ResourceName, signal: AbortSignal): Promise<void> {
    if (!this.#read.has(resource)) return this.freshen(resource, Infinity, signal);
    if (!this.#newest.has(resource)) return this.readAfresh(resource, signal);
    await joined(() => {
      const next = this.#nextNews.get(resource) ?? this.#gatherNews(resource, signal);
      this.#nextNews.set(resource, next);
      return next;
    }, signal);
  }

  async #gatherNews(resource: ResourceName, signal: AbortSignal): Promise<void> {
    await sleep(GATHER_MS, signal);
    this.#nextNews.delete(resource);
    await this.#walk(resource, { changedSince: (this.#newest.get(resource) ?? 0) - NEWS_OVERLAP_MS }, signal);
  }

  async #readingEnded(resource: ResourceName): Promise<void> {
    for (let running = this.#reading.get(resource); running; running = this.#reading.get(resource))
      await running.catch(() => {});
  }

  /**
   * Takes the first of the two looks that prove the resource empty, ahead of the read that needs them. If it is not empty, nothing is
   * kept of that look.
   */
  lookAhead(resource: ResourceName, signal: AbortSignal): void {
    this.#emptiness.lookAhead(resource, async () => {
      for await (const page of this.#deps.service.list(resource, { fields: ["id"] }, signal))
        if (page.length > 0) return false;
      return true;
    });
  }

  /** Reads the resource whole. Only a whole read notices records that people deleted and stamps that they set by hand. */
  async readWhole(resource: ResourceName, signal: AbortSignal): Promise<void> {
    await this.#readingEnded(resource);
    await this.#begin(resource, signal, { whole: true });
  }

  /** The match fields in which some record of the resource has a value; undefined before the index is read. */
  async carried(resource: ResourceName): Promise<ReadonlySet<string> | undefined> {
    const facts = await this.#deps.store.note(indexNote(resource));
    return facts && new Set(facts.carried);
  }

  /** The natural keys under which the index lists the record. */
  keys(resource: ResourceName, record: ServiceRecord): MatchEntry["keys"] {
    return naturalKeys(this.#rulesOf(resource), record);
  }

  #begin(resource: ResourceName, signal: AbortSignal, { whole } = { whole: false }): Promise<void> {
    // Two whole reads at once would each drop the entries that only the other one has seen.
    const done = this.#deps.store.cluster
      .alone(`match/${resource}`, signal, () => this.#refresh(resource, whole, signal))
      .finally(() => this.#reading.delete(resource));
    this.#reading.set(resource, done);
    return done;
  }

  async #refresh(resource: ResourceName, whole: boolean, signal: AbortSignal): Promise<void> {
    const readAt = this.#deps.clock.now();
    const facts = await this.#deps.store.note(indexNote(resource));
    const since = !whole && (await this.#deps.store.matchIndex(resource)) ? this.#since(resource, facts) : undefined;
    if (!facts || since === undefined || !(await this.#readChanges(resource, facts, since, readAt, signal)))
      await this.#readWhole(resource, readAt, signal);
    this.#read.add(resource);
  }

  /** Returns the time from which a partial read shows everything new; undefined if the resource must be read whole. */
  #since(resource: ResourceName, facts: IndexFacts | undefined): number | undefined {
    if (!facts || facts.rules !== this.#ruleNames(resource) || facts.newest === null) return undefined;
    const age = this.#deps.clock.now() - facts.wholeAt;
    if (age < 0 || age > WHOLE_EVERY_MS) return undefined;
    // A newest stamp in the future would hide everything that is written until then.
    if (facts.newest > this.#deps.service.now() + AHEAD_MAX_MS) return undefined;
    return facts.newest - REFRESH_OVERLAP_MS - this.#deps.settleMs;
  }

  /** Reads what changed. Returns false if the list does not even show the newest known record, because it then proves nothing. */
  async #readChanges(
    resource: ResourceName,
    facts: IndexFacts,
    changedSince: number,
    readAt: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { store, logger } = this.#deps;
    const seen = await this.#walk(resource, { changedSince }, signal);
    if (seen.count === 0) return false;
    await store.endMatches(resource, { whole: false, readAt });
    const newest = Math.max(facts.newest ?? 0, seen.newest ?? 0);
    await this.#deps.store.saveNote(indexNote(resource), {
      ...facts,
      newest,
      carried: [...new Set([...facts.carried, ...seen.carried])],
    });
    logger.info({ resource, count: seen.count, partial: true }, "match index read");
    return true;
  }

  async #readWhole(resource: ResourceName, readAt: number, signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#deps;
    const reading = await store.beginMatches(resource);
    const seen = await this.#emptiness.read(resource, () => this.#walk(resource, {}, signal), signal);
    await this.#expectWhole(resource, seen.count, reading, signal);
    this.#emptiness.keep(resource, seen.count === 0);
    await store.endMatches(resource, { whole: true, readAt, reading });
    const { newest, carried } = seen;
    await this.#deps.store.saveNote(indexNote(resource), {
      rules: this.#ruleNames(resource),
      newest,
      wholeAt: readAt,
      carried: [...carried],
    });
    logger.info({ resource, count: seen.count, partial: false }, "match index read");
  }

  async #walk(resource: ResourceName, query: { changedSince?: number }, signal: AbortSignal) {
    const { store, service } = this.#deps;
    const matchFields = [...new Set(this.#rulesOf(resource).flatMap((rule) => rule.fields))];
    const rules = this.#rulesOf(resource).map(ruleName);
    const carried = new Set<string>();
    let newest: number | null = null;
    let count = 0;
    for await (const page of service.list(resource, { fields: ["id", "modified", ...matchFields], ...query }, signal)) {
      const entries: MatchEntry[] = [];
      for (const record of page) {
        const { id } = record;
        if (typeof id === "number") entries.push({ serviceId: id, keys: this.keys(resource, record) });
        newest = later(newest, record["modified"], service.now());
        for (const field of matchFields)
          if (naturalKey({ fields: [field], compare: "exact" }, record) !== undefined) carried.add(field);
      }
      count += entries.length;
      await store.saveMatches(resource, entries, rules);
    }
    if (newest !== null) this.#newest.set(resource, Math.max(newest, this.#newest.get(resource) ?? 0));
    return { count, newest, carried };
  }

  /**
   * Expects a complete list. A list that lacks many known records is short by mistake (a partial outage, a revoked permission) if
   * one of them can still be read, or if it is empty.
   * @throws {RetryError} E_LIST_INCOMPLETE
   */
  async #expectWhole(resource: ResourceName, count: number, reading: number, signal: AbortSignal): Promise<void> {
    const { known, unseen, some } = await this.#deps.store.unseenMatches(resource, MISSING_READ, reading);
    if (unseen < MISSING_COUNT || unseen < known * MISSING_PART) return;
    let isThere = count === 0;
    for (const id of some) isThere ||= await this.#canBeRead(resource, id, signal);
    if (!isThere) return;
    throw new RetryError(
      "E_LIST_INCOMPLETE",
      `the list of ${resource} shows ${count} records and lacks ${unseen} of ${known} that were there before: does the token's user still see them?`,
      { details: { resource, count, known, unseen } },
    );
  }

  async #canBeRead(resource: ResourceName, id: ServiceId, signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.#deps.service.read(resource, id, ["id"], signal)) !== undefined;
    } catch (thrown) {
      // A refusal, or an unknown parent in the path, does not show whether the record exists.
      if (thrown instanceof ParkError) return false;
      throw thrown;
    }
  }

  #rulesOf(resource: ResourceName): readonly KeyRule[] {
    return this.#rules.get(resource) ?? [];
  }

  /** The names of the resource's rules and the form of their keys, as one text. */
  #ruleNames(resource: ResourceName): string {
    return [KEY_FORM, ...new Set(this.#rulesOf(resource).map(ruleName).toSorted())].join(";");
  }
}

/** Waits for a read that callers share. If the caller that began it aborts, the others begin another one. */
async function joined(read: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;)
    try {
      return await read();
    } catch (thrown) {
      const isAbort = thrown instanceof DOMException && thrown.name === "AbortError";
      if (signal.aborted || !isAbort) throw thrown;
    }
}

/** Returns the later stamp. A stamp after `now` counts as `now`. */
function later(newest: number | null, modified: Json | undefined, now: number): number | null {
  const at = typeof modified === "string" ? Math.min(Date.parse(modified), now) : Number.NaN;
  return Number.isNaN(at) ? newest : Math.max(newest ?? at, at);
}

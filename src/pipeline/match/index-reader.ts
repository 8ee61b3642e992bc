import { DAY_MS, ParkError, RetryError, sleep, type Clock, type Json, type ResourceName, type ServiceId } from "#model";
import type { MatchRule } from "#mapping";
import type { Service, ServiceRecord } from "#service";
import type { MatchEntry, MatchStore, NoteStore, RecordStore, Store } from "#store";
import type { Logger } from "#telemetry";
import { indexNote, type IndexFacts } from "../notes.ts";
import { KEY_FORM, naturalKey, naturalKeys, ruleName } from "./natural-key.ts";

/** How far behind the newest stamp seen a refresh reads again: clocks differ and transactions commit late. */
const REFRESH_OVERLAP_MS = 10 * 60_000;
/** What a refresh by stamps can never see (deletions, stamps set by hand) is corrected by reading the resource whole. */
const WHOLE_EVERY_MS = 7 * DAY_MS;
/** Clocks of one service differ by this much. A stamp further ahead is wrong. */
const AHEAD_MAX_MS = 60_000;
/** Looks for creates that were cut off together come within this of each other. */
const GATHER_MS = 500;
/**
 * How far behind the newest stamp seen a look for news begins. A record with an older stamp that comes to light later is found by the
 * last look, which reads as far back as a refresh.
 */
const NEWS_OVERLAP_MS = 2_000;
/** "Nothing is there" is asked twice, so far apart, before it is believed. */
const EMPTY_AGAIN_MS = 3_000;
/** A list that lacks more known records than this, and more than this part of them, may be short by mistake. */
const MISSING_COUNT = 10;
const MISSING_PART = 0.1;
/** Missing records that are read one by one to find out. */
const MISSING_READ = 5;

export interface IndexReaderDeps {
  readonly store: MatchStore & RecordStore & NoteStore & Pick<Store, "replicas">;
  readonly service: Pick<Service, "list" | "read" | "now">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long the service's lists may be behind what was written. */
  readonly settleMs: number;
}

/**
 * Reads resources of the service into the match index: once whole, later what changed since. It believes no list that says
 * there is nothing, or much less than before, without proof: what an index lacks is created.
 */
export class IndexReader {
  readonly #deps: IndexReaderDeps;
  readonly #rules: ReadonlyMap<ResourceName, readonly MatchRule[]>;
  readonly #reading = new Map<ResourceName, Promise<void>>();
  /** Fresh reads that were asked for and have not begun. */
  readonly #next = new Map<ResourceName, Promise<void>>();
  /** As above, of news. */
  readonly #nextNews = new Map<ResourceName, Promise<void>>();
  /** The newest stamp that this process has seen in a resource. */
  readonly #newest = new Map<ResourceName, number>();
  /** Resources that this process has read: what an earlier one left may be older than the service, or a restored copy. */
  readonly #read = new Set<ResourceName>();
  /** Resources whose emptiness is proven. */
  readonly #provenEmpty = new Set<ResourceName>();

  constructor(deps: IndexReaderDeps, rules: ReadonlyMap<ResourceName, readonly MatchRule[]>) {
    this.#deps = deps;
    this.#rules = rules;
  }

  /** Makes the index younger than `maxAgeMs`, and read by this process. Many callers share one read. */
  async freshen(resource: ResourceName, maxAgeMs: number, signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    // Asked together: a store in another machine is asked once.
    const [index, facts] = await Promise.all([store.matchIndex(resource), store.note(indexNote(resource))]);
    const now = this.#deps.clock.now();
    // An index from the future was read before the clock was set back: its age is unknown.
    const isYoung = index && index.readAt <= now && index.readAt >= now - maxAgeMs;
    if (isYoung && this.#read.has(resource) && facts?.rules === this.#ruleNames(resource)) return;
    await joined(() => this.#reading.get(resource) ?? this.#begin(resource, signal), signal);
  }

  /**
   * A read that begins after this call, shared by all who ask shortly before it begins. No clock is asked: clocks are set back, and a
   * create must not be done twice.
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
   * Records that are new since the last reading, by one that begins after this call and is shared as above. It leaves the index as old as
   * it was. Where this process has not read the resource yet, its first reading does.
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

  /** Reads the resource whole: only that sees what people deleted, and what they stamped by hand. */
  async readWhole(resource: ResourceName, signal: AbortSignal): Promise<void> {
    await this.#readingEnded(resource);
    await this.#begin(resource, signal, { whole: true });
  }

  /** The match fields in which some record of the resource has a value; undefined while the index does not say. */
  async carried(resource: ResourceName): Promise<ReadonlySet<string> | undefined> {
    const facts = await this.#deps.store.note(indexNote(resource));
    return facts && new Set(facts.carried);
  }

  /** The natural keys by which the index remembers the record. */
  keys(resource: ResourceName, record: ServiceRecord): MatchEntry["keys"] {
    return naturalKeys(this.#rulesOf(resource), record);
  }

  #begin(resource: ResourceName, signal: AbortSignal, { whole } = { whole: false }): Promise<void> {
    // Two whole reads at once would each forget what only the other one has seen.
    const done = this.#deps.store.replicas
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

  /** From when on a partial read tells everything that is new; undefined when only a whole one does. */
  #since(resource: ResourceName, facts: IndexFacts | undefined): number | undefined {
    if (!facts || facts.rules !== this.#ruleNames(resource) || facts.newest === null) return undefined;
    const age = this.#deps.clock.now() - facts.wholeAt;
    if (age < 0 || age > WHOLE_EVERY_MS) return undefined;
    // A newest stamp that lies ahead would hide everything that is written until then.
    if (facts.newest > this.#deps.service.now() + AHEAD_MAX_MS) return undefined;
    return facts.newest - REFRESH_OVERLAP_MS - this.#deps.settleMs;
  }

  /** False when the list does not show even the newest record that is known: then it proves nothing. */
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
    const { store, logger, settleMs } = this.#deps;
    await store.beginMatches(resource);
    let seen = await this.#walk(resource, {}, signal);
    if (seen.count === 0 && !this.#provenEmpty.has(resource)) {
      await sleep(Math.min(EMPTY_AGAIN_MS, settleMs), signal);
      signal.throwIfAborted();
      seen = await this.#walk(resource, {}, signal);
    }
    await this.#expectWhole(resource, seen.count, signal);
    if (seen.count === 0) this.#provenEmpty.add(resource);
    else this.#provenEmpty.delete(resource);
    await store.endMatches(resource, { whole: true, readAt });
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
      await store.saveMatches(resource, entries);
    }
    if (newest !== null) this.#newest.set(resource, Math.max(newest, this.#newest.get(resource) ?? 0));
    return { count, newest, carried };
  }

  /**
   * A list that lacks many records known before is short by mistake (a partial outage, a permission that was taken away) when
   * one of them can still be read, or when it shows nothing at all.
   * @throws {RetryError} E_LIST_INCOMPLETE
   */
  async #expectWhole(resource: ResourceName, count: number, signal: AbortSignal): Promise<void> {
    const { known, unseen, some } = await this.#deps.store.unseenMatches(resource, MISSING_READ);
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
      // Refused, or below a parent that is not known: it says nothing.
      if (thrown instanceof ParkError) return false;
      throw thrown;
    }
  }

  #rulesOf(resource: ResourceName): readonly MatchRule[] {
    return this.#rules.get(resource) ?? [];
  }

  /** The rules of a resource by name, and how their keys are written, in one text. */
  #ruleNames(resource: ResourceName): string {
    return [KEY_FORM, ...new Set(this.#rulesOf(resource).map(ruleName).toSorted())].join(";");
  }
}

/** Waits for a read that callers share. The caller that began it may leave: that is no answer to those who still want it. */
async function joined(read: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;)
    try {
      return await read();
    } catch (thrown) {
      const isAbort = thrown instanceof DOMException && thrown.name === "AbortError";
      if (signal.aborted || !isAbort) throw thrown;
    }
}

/** The later of the two; a stamp that lies ahead of `now` counts as now. */
function later(newest: number | null, modified: Json | undefined, now: number): number | null {
  const at = typeof modified === "string" ? Math.min(Date.parse(modified), now) : Number.NaN;
  return Number.isNaN(at) ? newest : Math.max(newest ?? at, at);
}

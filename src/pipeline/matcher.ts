import type { Clock, Json, Projection, RecordId, ResourceName, ServiceId } from "#model";
import { isJsonObject, recordName } from "#model";
import type { MatchRule, Stream } from "#mapping";
import type { Service, ServiceRecord } from "#service";
import type { MatchEntry, Store } from "#store";
import type { Logger } from "#telemetry";
import { loosened, naturalKey, ruleName } from "./natural-key.ts";

/** How far behind the newest stamp seen a refresh reads again: clocks differ and transactions commit late. */
const REFRESH_OVERLAP_MS = 10 * 60_000;

export interface MatcherParts {
  readonly store: Store;
  readonly service: Pick<Service, "list">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How old the index may be before a create consults it. */
  readonly maxAgeMs: number;
}

/** What a full or partial read of a resource knows besides the index itself; kept as a note of the store. */
interface IndexFacts {
  /** The rules the index holds; another set means reading the resource anew. */
  readonly rules: string;
  /** The newest `modified` of the service's own clock, or null while the resource is empty. */
  readonly newest: number | null;
}

/**
 * Finds the record of the service that a record of the ERP already is, by the stream's natural keys. The resource is read
 * once in pages; afterwards only what changed since is read again, however many records ask.
 */
export class Matcher {
  readonly #parts: MatcherParts;
  readonly #rules: ReadonlyMap<ResourceName, readonly MatchRule[]>;
  /** The rules of each resource by name, in one text. */
  readonly #ruleNames: ReadonlyMap<ResourceName, string>;
  readonly #reading = new Map<ResourceName, Promise<void>>();

  constructor(parts: MatcherParts, streams: readonly Stream[]) {
    this.#parts = parts;
    const rules = new Map<ResourceName, MatchRule[]>();
    for (const { resource, match } of streams)
      rules.set(resource, [...(rules.get(resource) ?? []), ...match, ...match.map(loosened)]);
    this.#rules = rules;
    this.#ruleNames = new Map(
      Array.from(rules, ([resource, all]) => [resource, [...new Set(all.map(ruleName))].toSorted().join(";")]),
    );
  }

  /**
   * The service ids that `wanted` may already be, by the first rule that finds any; ids bound to other records are not
   * offered. Several mean that a person has to choose.
   * `afresh`: the service is asked after this call, whatever the index holds; else an age within the limit is enough.
   */
  async find(
    stream: Stream,
    wanted: Projection,
    self: RecordId,
    signal: AbortSignal,
    { afresh }: { readonly afresh: boolean } = { afresh: false },
  ): Promise<ServiceId[]> {
    if (afresh) await this.#readAfresh(stream.resource, signal);
    else await this.freshen(stream.resource, this.#parts.maxAgeMs, signal);
    return this.#offered(stream, stream.match, wanted, self);
  }

  /** As {@link find}, without regard to spelling and to the index's age: who could be `wanted` if the service respelled it. */
  findNear(stream: Stream, wanted: Projection, self: RecordId): Promise<ServiceId[]> {
    return this.#offered(stream, stream.match.map(loosened), wanted, self);
  }

  async #offered(
    { resource }: Stream,
    rules: readonly MatchRule[],
    wanted: Projection,
    self: RecordId,
  ): Promise<ServiceId[]> {
    for (const rule of rules) {
      const key = naturalKey(rule, wanted);
      if (key === undefined) continue;
      const found: ServiceId[] = [];
      for (const serviceId of await this.#parts.store.matches(resource, ruleName(rule), key)) {
        const owner = await this.#parts.store.boundTo({ resource, serviceId });
        if (!owner || recordName(owner) === recordName(self)) found.push(serviceId);
      }
      if (found.length > 0) return found;
    }
    return [];
  }

  /** Makes the index younger than `maxAgeMs`. Many callers share one read. */
  async freshen(resource: ResourceName, maxAgeMs: number, signal: AbortSignal): Promise<void> {
    const index = await this.#parts.store.matchIndex(resource);
    const now = this.#parts.clock.now();
    // An index from the future was read before somebody set the clock back: its age is not known.
    const isYoung = index && index.readAt <= now && index.readAt >= now - maxAgeMs;
    if (isYoung && (await this.#facts(resource))?.rules === this.#ruleNamesOf(resource)) return;
    await (this.#reading.get(resource) ?? this.#begin(resource, signal));
  }

  /** A read that begins after this call. No clock is asked: clocks are set back, and a create must not be done twice. */
  async #readAfresh(resource: ResourceName, signal: AbortSignal): Promise<void> {
    const running = this.#reading.get(resource);
    if (running) await running.catch(() => {});
    // Who waited beside us may have begun the next read already.
    await (this.#reading.get(resource) ?? this.#begin(resource, signal));
  }

  #begin(resource: ResourceName, signal: AbortSignal): Promise<void> {
    const done = this.#read(resource, this.#parts.clock.now(), signal).finally(() => this.#reading.delete(resource));
    this.#reading.set(resource, done);
    return done;
  }

  async #read(resource: ResourceName, startedAt: number, signal: AbortSignal): Promise<void> {
    const { store, service, logger } = this.#parts;
    const facts = await this.#facts(resource);
    const rules = this.#ruleNamesOf(resource);
    const index = await store.matchIndex(resource);
    const since =
      index && facts?.rules === rules && facts.newest !== null ? facts.newest - REFRESH_OVERLAP_MS : undefined;
    const fields = ["id", "modified", ...new Set(this.#rulesOf(resource).flatMap((rule) => rule.fields))];
    let newest = since === undefined ? null : facts!.newest;
    let count = 0;
    let fresh = since === undefined;
    const query = since === undefined ? { fields } : { fields, changedSince: since };
    for await (const page of service.list(resource, query, signal)) {
      const entries = page.flatMap((record) => this.#entry(resource, record));
      for (const record of page) newest = later(newest, record["modified"]);
      count += entries.length;
      await store.saveMatches(resource, { entries, fresh, complete: false, readAt: startedAt });
      fresh = false;
    }
    await store.saveMatches(resource, { entries: [], fresh, complete: true, readAt: startedAt });
    await store.saveNote(noteName(resource), { rules, newest });
    logger.info({ resource, count, partial: since !== undefined }, "match index read");
  }

  #entry(resource: ResourceName, record: ServiceRecord): MatchEntry[] {
    const serviceId = record["id"];
    if (typeof serviceId !== "number") return [];
    const keys: Record<string, string> = {};
    for (const rule of this.#rulesOf(resource)) {
      const key = naturalKey(rule, record);
      if (key !== undefined) keys[ruleName(rule)] = key;
    }
    return [{ serviceId, keys }];
  }

  #rulesOf(resource: ResourceName): readonly MatchRule[] {
    return this.#rules.get(resource) ?? [];
  }

  #ruleNamesOf(resource: ResourceName): string {
    return this.#ruleNames.get(resource) ?? "";
  }

  async #facts(resource: ResourceName): Promise<IndexFacts | undefined> {
    const note = await this.#parts.store.note(noteName(resource));
    if (!isJsonObject(note)) return undefined;
    const newest = note["newest"];
    return {
      rules: typeof note["rules"] === "string" ? note["rules"] : "",
      newest: typeof newest === "number" ? newest : null,
    };
  }
}

function noteName(resource: ResourceName): string {
  return `match-index/${resource}`;
}

function later(newest: number | null, modified: Json | undefined): number | null {
  const at = typeof modified === "string" ? Date.parse(modified) : Number.NaN;
  return Number.isNaN(at) ? newest : Math.max(newest ?? at, at);
}

import { RetryError, WaitError, type Projection, type RecordId, type ResourceName, type ServiceId } from "#model";
import type { MatchRule, Stream } from "#mapping";
import type { MatchEntry } from "#store";
import { IndexReader, type IndexReaderDeps } from "./index-reader.ts";
import { lookUp, type Found } from "./candidates.ts";
import { loosened } from "./natural-key.ts";

/** How long a record waits before it looks into an index again that could not be read. */
const READ_AGAIN_MS = 5_000;

export interface MatcherDeps extends IndexReaderDeps {
  /** How old the index may be before a create consults it. */
  readonly maxAgeMs: number;
}

/**
 * How much has to be read before the match index is asked: nothing while it is younger than the limit ("young"), what is new
 * since the last reading ("news", which may find a record and proves nothing about others), or what changed, by a reading that begins
 * after the call ("afresh").
 */
export type Freshness = "young" | "news" | "afresh";

/** Finds the record of the service that a record of the ERP already is, by the stream's natural keys. */
export class Matcher {
  readonly #deps: MatcherDeps;
  readonly #reader: IndexReader;

  constructor(deps: MatcherDeps, streams: readonly Stream[]) {
    this.#deps = deps;
    const rules = new Map<string, MatchRule[]>();
    for (const { resource, match } of streams)
      rules.set(resource, [...(rules.get(resource) ?? []), ...match, ...match.map(loosened)]);
    this.#reader = new IndexReader(deps, rules);
  }

  /**
   * What matches the natural key of `wanted`, by the first rule that finds a record not bound to another; `gone` are left out.
   * @throws {WaitError} when the service could not be asked: that is no failure of this record.
   */
  async find(
    stream: Stream,
    wanted: Projection,
    self: RecordId,
    signal: AbortSignal,
    freshness: Freshness = "young",
    gone?: ReadonlySet<ServiceId>,
  ): Promise<Found> {
    try {
      await this.#read(stream.resource, freshness, signal);
    } catch (thrown) {
      if (!(thrown instanceof RetryError)) throw thrown;
      const { code, message, details } = thrown;
      throw new WaitError(code, message, { cause: thrown, details, afterMs: READ_AGAIN_MS });
    }
    return lookUp(this.#deps.store, stream.resource, stream.match, wanted, self, gone);
  }

  #read(resource: ResourceName, freshness: Freshness, signal: AbortSignal): Promise<void> {
    switch (freshness) {
      case "young":
        return this.#reader.freshen(resource, this.#deps.maxAgeMs, signal);
      case "news":
        return this.#reader.readNews(resource, signal);
      case "afresh":
        return this.#reader.readAfresh(resource, signal);
    }
  }

  /** As {@link find}, without regard to spelling and to the index's age: who could be `wanted` if the service respelled it. */
  async findNear(stream: Stream, wanted: Projection, self: RecordId): Promise<readonly ServiceId[]> {
    return (await lookUp(this.#deps.store, stream.resource, stream.match.map(loosened), wanted, self)).free;
  }

  /**
   * Reads the stream's resource whole, for decisions about all of it.
   * @returns how many of its records no record of the ERP is bound to.
   */
  async survey({ resource }: Stream, signal: AbortSignal): Promise<number> {
    await this.#reader.readWhole(resource, signal);
    return this.#deps.store.unboundMatches(resource);
  }

  /** Brings the index up to what the service shows now. */
  refresh({ resource }: Stream, signal: AbortSignal): Promise<void> {
    return this.#reader.readAfresh(resource, signal);
  }

  /** What the index shall know of a record that the service holds now: it need not be read again for that. */
  keys({ resource }: Stream, projection: Projection): MatchEntry["keys"] {
    return this.#reader.keys(resource, projection);
  }

  /** Match fields without which no rule works and that no record of the service has a value in: nothing can be found by them. */
  async blindFields({ resource, match }: Stream): Promise<string[]> {
    const index = await this.#deps.store.matchIndex(resource);
    if (!index || index.isEmpty) return [];
    const carried = await this.#reader.carried(resource);
    const blind = match.map(({ fields }) => fields.filter((field) => carried?.has(field) === false));
    return blind.some((fields) => fields.length === 0) ? [] : [...new Set(blind.flat())];
  }
}

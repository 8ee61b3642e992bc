import { RetryError, WaitError, type Projection, type RecordId, type ResourceName, type ServiceId } from "#model";
import type { Stream } from "#mapping";
import type { MatchEntry } from "#store";
import { IndexReader, type IndexReaderDeps } from "./index-reader.ts";
import { lookUp, type Found } from "./candidates.ts";
import { loosened, strongerFields, type KeyRule } from "./natural-key.ts";

/** Pause of a record before it tries the match index again after a failed read. */
const READ_AGAIN_MS = 5_000;

export interface MatcherDeps extends IndexReaderDeps {
  /** How old the index may be before a create consults it. */
  readonly maxAgeMs: number;
}

/**
 * How much to read before a lookup in the match index. "young" reads only if the index is older than the limit. "news" reads what
 * is new since the last read; it may find a record but proves no absence. "afresh" reads what changed, by a read that begins after
 * the call.
 */
export type Freshness = "young" | "news" | "afresh";

/** Finds the service record that an ERP record already is, by the stream's natural keys. */
export class Matcher {
  readonly #deps: MatcherDeps;
  readonly #reader: IndexReader;

  constructor(deps: MatcherDeps, streams: readonly Stream[]) {
    this.#deps = deps;
    const rules = new Map<string, KeyRule[]>();
    for (const { resource, match } of streams)
      rules.set(resource, [...(rules.get(resource) ?? []), ...match, ...match.map(loosened), ...strongerFields(match)]);
    this.#reader = new IndexReader(deps, rules);
  }

  /**
   * Looks up the natural key of `wanted`, by the first rule that finds a record that is not bound to another. Ignores the records
   * in `gone`.
   * @throws {WaitError} when the service cannot be reached, which is not the record's failure.
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

  /**
   * Like {@link find}, but ignores spelling and reads nothing. Finds records that could be `wanted` if the service changed its
   * spelling.
   */
  async findNear(stream: Stream, wanted: Projection, self: RecordId): Promise<readonly ServiceId[]> {
    return (await lookUp(this.#deps.store, stream.resource, stream.match.map(loosened), wanted, self)).free;
  }

  /** Begins to find out whether the stream's resource is empty, so that {@link survey} takes less time. */
  lookAhead({ resource }: Stream, signal: AbortSignal): void {
    this.#reader.lookAhead(resource, signal);
  }

  /**
   * Reads the stream's resource whole, for decisions about all of its records.
   * @returns how many service records are not bound.
   */
  async survey({ resource }: Stream, signal: AbortSignal): Promise<number> {
    await this.#reader.readWhole(resource, signal);
    return this.#deps.store.unboundMatches(resource);
  }

  /** Reads into the index what the service shows now. */
  refresh({ resource }: Stream, signal: AbortSignal): Promise<void> {
    return this.#reader.readAfresh(resource, signal);
  }

  /** The index keys of a record whose values are known, so that it need not be read for them. */
  keys({ resource }: Stream, projection: Projection): MatchEntry["keys"] {
    return this.#reader.keys(resource, projection);
  }

  /** Match fields without a value in any service record, if every rule needs one of them: nothing can then be found. */
  async blindFields({ resource, match }: Stream): Promise<string[]> {
    const index = await this.#deps.store.matchIndex(resource);
    if (!index || index.isEmpty) return [];
    const carried = await this.#reader.carried(resource);
    const blind = match.map(({ fields }) => fields.filter((field) => carried?.has(field) === false));
    return blind.some((fields) => fields.length === 0) ? [] : [...new Set(blind.flat())];
  }
}

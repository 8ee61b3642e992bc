import {
  counted,
  RetryError,
  untilAborted,
  type Clock,
  type Json,
  type JsonObject,
  type ResourceName,
  type ServiceId,
} from "#model";
import type { Logger } from "#telemetry";
import { resourceFacts } from "../catalogue/catalogue.ts";
import { Snapshot, theOneId } from "./snapshot.ts";

/** Keeps reference data across restarts. It has the shape of the store's own methods. */
export interface ReferenceCache {
  load(resource: ResourceName): Promise<{ readonly readAt: number; readonly entries: Json } | undefined>;
  save(resource: ResourceName, entries: Json): Promise<void>;
}

export type ListAll = (
  resource: ResourceName,
  query: { fields: readonly string[] },
  signal: AbortSignal,
) => AsyncIterable<JsonObject[]>;

/** Minimum time between lookups of a missing name: a typo in ten thousand records is still one typo. */
const MISS_PAUSE_MS = 30_000;

interface ReferenceDeps {
  readonly list: ListAll;
  readonly cache: ReferenceCache;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly maxAgeMs: number;
  /** Aborts reads that several callers share; the signal of a single caller may not. */
  readonly closing: AbortSignal;
}

/**
 * Maps names in the service's reference data (statuses, priorities, tags, custom fields) to ids. Reads each list whole
 * and caches it.
 */
export class Reference {
  readonly #deps: ReferenceDeps;
  readonly #snapshots = new Map<ResourceName, Snapshot>();
  readonly #reading = new Map<string, Promise<Snapshot>>();

  constructor(deps: ReferenceDeps) {
    this.#deps = deps;
  }

  /**
   * The id of the only record whose `by` is `value`. A name that is not in the cache is looked up once more before it is
   * refused.
   * @throws {ParkError} E_LOOKUP_UNKNOWN with the names that exist, E_LOOKUP_AMBIGUOUS with the ids.
   */
  async lookup(
    resource: ResourceName,
    by: string,
    value: string | number,
    signal: AbortSignal,
    accepts: (row: JsonObject) => boolean = () => true,
  ): Promise<ServiceId> {
    const { clock } = this.#deps;
    let snapshot = await this.#fresh(resource, by, signal);
    const isMissing = snapshot.ids(by, value, accepts).length === 0;
    if (isMissing && ageMs(clock.now(), snapshot) >= MISS_PAUSE_MS) snapshot = await this.#read(resource, by, signal);
    return theOneId(snapshot, { resource, by, value }, accepts);
  }

  async #fresh(resource: ResourceName, by: string, signal: AbortSignal): Promise<Snapshot> {
    const { clock, cache, maxAgeMs } = this.#deps;
    const good = (snapshot: Snapshot | undefined) =>
      snapshot?.has(by) === true && ageMs(clock.now(), snapshot) <= maxAgeMs ? snapshot : undefined;
    const held = good(this.#snapshots.get(resource));
    if (held !== undefined) return held;
    const saved = await cache.load(resource);
    const kept = good(saved && Snapshot.parse(saved.readAt, saved.entries));
    if (kept === undefined) return this.#read(resource, by, signal);
    this.#snapshots.set(resource, kept);
    return kept;
  }

  /** Runs one read at a time per resource and field; concurrent callers share it. */
  async #read(resource: ResourceName, by: string, signal: AbortSignal): Promise<Snapshot> {
    const name = `${resource}.${by}`;
    let reading = this.#reading.get(name);
    if (reading === undefined) {
      reading = this.#readAll(resource, by).finally(() => this.#reading.delete(name));
      this.#reading.set(name, reading);
    }
    return untilAborted(reading, signal);
  }

  async #readAll(resource: ResourceName, by: string): Promise<Snapshot> {
    const { clock, cache, logger, list, closing } = this.#deps;
    const readAt = clock.now();
    const fields = new Set([...(this.#snapshots.get(resource)?.fields ?? []), by, ...scopeFields(resource)]);
    const rows = (await Array.fromAsync(list(resource, { fields: [...fields] }, closing))).flat();
    if (rows.length === 0) await this.#expectNone(resource);
    const snapshot = new Snapshot(readAt, [...fields], rows);
    this.#snapshots.set(resource, snapshot);
    await cache.save(resource, snapshot.entries);
    logger.debug({ resource, count: rows.length }, "reference data read");
    return snapshot;
  }

  /** A list that lost all its records may be wrong, and refusing every name would park every record. */
  async #expectNone(resource: ResourceName): Promise<void> {
    const saved = await this.#deps.cache.load(resource);
    const known = (saved && Snapshot.parse(saved.readAt, saved.entries)?.count) ?? 0;
    if (known === 0) return;
    const message = `the list of ${resource} shows nothing and had ${counted(known, "record")} before: does the token's user still see them?`;
    throw new RetryError("E_LIST_INCOMPLETE", message, { details: { resource, count: 0, known } });
  }
}

/** A snapshot from the future was read before the clock was set back, so its age is unknown. */
function ageMs(now: number, { readAt }: Snapshot): number {
  return readAt > now ? Infinity : now - readAt;
}

/** Fields that distinguish records of the same name. */
function scopeFields(resource: ResourceName): string[] {
  if (resource === "customField") return ["parentType"];
  return resourceFacts(resource).deactivates ? ["deactivated"] : [];
}

/** The service's names as they were last read, without sending a request. */
export class KnownNames {
  readonly #cache: Pick<ReferenceCache, "load">;
  readonly #snapshots = new Map<ResourceName, Snapshot | undefined>();

  constructor(cache: Pick<ReferenceCache, "load">) {
    this.#cache = cache;
  }

  /**
   * The id of the only record whose `by` is `value`; undefined where the resource was never read by this field.
   * @throws {ParkError} as {@link Reference.lookup}, although a later read may show the name.
   */
  async lookup(resource: ResourceName, by: string, value: string | number): Promise<ServiceId | undefined> {
    const snapshot = await this.#snapshot(resource);
    return snapshot?.has(by) ? theOneId(snapshot, { resource, by, value }) : undefined;
  }

  async #snapshot(resource: ResourceName): Promise<Snapshot | undefined> {
    if (!this.#snapshots.has(resource)) {
      const saved = await this.#cache.load(resource);
      this.#snapshots.set(resource, saved && Snapshot.parse(saved.readAt, saved.entries));
    }
    return this.#snapshots.get(resource);
  }
}

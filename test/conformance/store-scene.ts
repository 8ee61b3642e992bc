import type { Change, Clock, ErrorFacts, Json, RecordId, RecordState, Row, ServiceId, StreamName } from "#model";
import type { Applied, Claim, OpenStoreOptions, StageResult, Store, Unreadable } from "#store";
import type { Logger } from "#telemetry";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";

/** Where one store lives: opening it twice opens the same store. Disposing removes it. */
export interface StorePlace extends AsyncDisposable {
  open(options: OpenStoreOptions & { clock: Clock; logger: Logger }): Promise<Store>;
}

export type MakePlace = () => Promise<StorePlace>;

/** What a store may leave out. */
export interface StoreFeatures {
  /** No other process can open it, so it has no lock. */
  readonly isOneProcess?: boolean;
}

export const LEASE_MS = 60_000;

export const OOPS: ErrorFacts = { code: "E_INTERNAL", message: "it did not work", details: { field: "name" } };

export function customer(key: string): RecordId {
  return { stream: "customers", key };
}

export function contact(key: string): RecordId {
  return { stream: "contacts", key };
}

export function upsert(key: string, row: Row = { name: `Name of ${key}` }): Change {
  return { kind: "upsert", key, row };
}

export function deletion(key: string): Change {
  return { kind: "delete", key };
}

export function written(fields: Row, parents: Applied["parents"] = [], more: Partial<Applied> = {}): Applied {
  return { projection: fields, outcome: "updated", parents, ...more };
}

interface StageOptions {
  readonly stream?: StreamName;
  readonly cursor?: Json;
  readonly backfill?: boolean;
  readonly complete?: boolean;
  readonly unreadable?: readonly Unreadable[];
}

/** An open store with the few sentences that most tests begin with. */
export class Scene implements AsyncDisposable {
  readonly clock = new SetClock();
  readonly #place: StorePlace;
  #store: Store | undefined;

  private constructor(place: StorePlace) {
    this.#place = place;
  }

  static async open(makePlace: MakePlace): Promise<Scene> {
    const scene = new Scene(await makePlace());
    await scene.reopen();
    return scene;
  }

  get store(): Store {
    return this.#store!;
  }

  /** Another handle on the same store. */
  another(as: OpenStoreOptions["as"]): Promise<Store> {
    return this.#place.open({ as, leaseMs: LEASE_MS, clock: this.clock, logger: silentLogger });
  }

  /** Ends the store and opens it again, as a restarted daemon does. */
  async reopen(): Promise<void> {
    await this.#store?.[Symbol.asyncDispose]();
    this.#store = await this.another("daemon");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store?.[Symbol.asyncDispose]();
    await this.#place[Symbol.asyncDispose]();
  }

  stage(changes: readonly Change[], options: StageOptions = {}): Promise<StageResult> {
    const { stream = "customers", cursor = { at: this.clock.now() }, backfill = false, complete = true } = options;
    const { unreadable = [] } = options;
    return this.store.stage(stream, { changes, unreadable, cursor, backfill, complete });
  }

  /** Stages one row and claims it. */
  async claimed(id: RecordId, row?: Row): Promise<Claim> {
    await this.stage([upsert(id.key, row)], { stream: id.stream });
    return this.claim(id);
  }

  async claim(id: RecordId): Promise<Claim> {
    const claim = await this.store.claim(id);
    if (claim === undefined) throw new Error(`${id.stream}/${id.key} could not be claimed`);
    return claim;
  }

  /** Stages a record and carries it to "applied", bound to `serviceId`. */
  async bound(id: RecordId, serviceId: ServiceId, parents: readonly RecordId[] = []): Promise<void> {
    const claim = await this.claimed(id);
    await this.create(claim, serviceId, parents);
  }

  /** Begins and binds a create. */
  async create(claim: Claim, serviceId: ServiceId, parents: readonly RecordId[] = []): Promise<RecordId[]> {
    const resource = claim.id.stream;
    const projection = { name: claim.row["name"] ?? null };
    await this.store.begin(claim, { resource, projection });
    return this.store.end(claim, {
      kind: "bind",
      binding: { resource, serviceId },
      applied: written(projection, parents, { outcome: "created" }),
    });
  }

  /** Stages a record and leaves it in this state; waiting without a due time, bound only where the state asks for it. */
  async inState(id: RecordId, state: RecordState): Promise<void> {
    if (state === "applied") return this.bound(id, 10_000 + id.key.length);
    const claim = await this.claimed(id);
    if (state === "due") await this.store.end(claim, { kind: "release" });
    else if (state === "waiting") await this.store.end(claim, { kind: "wait", error: OOPS });
    else if (state === "parked") await this.store.end(claim, { kind: "park", error: OOPS });
    else if (state === "skipped") await this.store.end(claim, { kind: "skip", reason: "not a customer" });
    else if (state === "deleted") await this.store.end(claim, { kind: "remove", unbind: false });
    else if (state === "uncertain") {
      await this.store.begin(claim, { resource: id.stream, projection: { name: "N" } });
      await this.store.end(claim, { kind: "uncertain", error: OOPS });
    }
  }

  async state(id: RecordId): Promise<RecordState | undefined> {
    return (await this.store.record(id))?.state;
  }

  /** The keys of everything due in these streams. */
  async dueKeys(...streams: StreamName[]): Promise<string[]> {
    const due = await this.store.due({ limit: 1_000, streams: streams.length === 0 ? ["customers"] : streams });
    return due.map(({ id }) => id.key);
  }
}

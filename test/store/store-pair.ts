import { recordName, type RecordId, type RecordState } from "#model";
import type { Claim, RecordView } from "#store";
import { LEASE_MS, deletion, upsert, type Scene } from "../conformance/store-scene.ts";
import { STREAMS, type Happening, type Step } from "./store-happenings.ts";
import { StoreModel, type ModelClaim, type ModelRecord } from "./store-model.ts";
import { STEPS } from "./store-steps.ts";

const STANDING: RecordState[] = ["waiting", "parked", "uncertain", "skipped"];

/** What the store did, and what the model says that it promised. */
export interface Comparison {
  readonly found: unknown;
  readonly promised: unknown;
}

/** The store and the model, to which the same things happen. */
export class Pair {
  readonly #scene: Scene;
  readonly #model: StoreModel;
  readonly #claims: { store: Claim; model: ModelClaim }[] = [];
  #fingerprint = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#model = new StoreModel(scene.clock.now());
  }

  /** Lets it happen to both, and yields every answer in which they can be compared. */
  async *happen(what: Happening): AsyncGenerator<Comparison> {
    if (what.kind === "stage") await this.#stage(what.id, what.said, what.backfill);
    else if (what.kind === "claim") yield await this.#claim(what.id);
    else if (what.kind === "delivery") yield* this.#deliver(what.turn, what.steps);
    else if (what.kind === "step") yield await this.#step(what.age, what.step);
    else if (what.kind === "pass") this.#pass(what.ms);
    else if (what.kind === "restart") await this.#restart();
    else if (what.kind === "remap") await this.#remap(what.stream);
    else await this.#retryNow(what.stream);
  }

  async #stage(id: RecordId, said: "deleted" | number, backfill: boolean): Promise<void> {
    this.#model.stage(id, said, backfill);
    const change = said === "deleted" ? deletion(id.key) : upsert(id.key, { version: said });
    await this.#scene.stage([change], { stream: id.stream, backfill });
  }

  async #claim(id: RecordId): Promise<Comparison> {
    const model = this.#model.claim(id, LEASE_MS);
    const store = await this.#scene.store.claim(id);
    if (store !== undefined && model !== undefined) this.#claims.unshift({ store, model });
    return { found: store !== undefined, promised: model !== undefined };
  }

  async *#deliver(turn: number, steps: readonly Step[]): AsyncGenerator<Comparison> {
    const due = this.#model.due();
    if (due.length === 0) return;
    yield await this.#claim(due[turn % due.length]!);
    for (const step of steps) yield await this.#step(0, step);
  }

  async #step(age: number, { name, args }: Step): Promise<Comparison> {
    const claim = this.#claims[age];
    if (claim === undefined) return { found: undefined, promised: undefined };
    const { expect, take } = STEPS[name];
    const record = this.#model.held(claim.model);
    const promised = record === undefined ? "E_CLAIM_LOST" : expect(this.#model, record, claim.model, args);
    const found = await take(this.#scene.store, claim.store, args, this.#scene.clock.now()).then(
      () => undefined,
      (thrown: unknown) => (thrown instanceof Error && "code" in thrown ? thrown.code : thrown),
    );
    return { found, promised };
  }

  #pass(ms: number): void {
    this.#scene.clock.advance(ms);
    this.#model.now = this.#scene.clock.now();
  }

  async #restart(): Promise<void> {
    this.#model.restart();
    await this.#scene.reopen();
  }

  async #remap(stream: string): Promise<void> {
    if (this.#fingerprint === 0) for (const each of STREAMS) await this.#scene.store.remap(each, "first");
    this.#model.remap(stream);
    await this.#scene.store.remap(stream, `${++this.#fingerprint}`);
  }

  async #retryNow(stream: string): Promise<void> {
    for (const record of this.#model.all(stream))
      if (STANDING.includes(record.state))
        Object.assign(record, { state: "due", dueAt: this.#model.now, attempts: 0, error: undefined });
    await this.#scene.store.retryNow({ stream, states: STANDING });
  }

  /** Every record as both see it, and whose turn it is. */
  async everything(): Promise<Comparison> {
    const views = await this.#scene.store.records({ limit: 100 });
    const due = await this.#scene.store.due({ limit: 100, streams: STREAMS });
    return {
      found: { records: byName(views.map(seen)), due: due.map(({ id }) => id) },
      promised: { records: byName(this.#model.all().map(promised)), due: this.#model.due() },
    };
  }
}

function byName<R extends { id: RecordId }>(records: readonly R[]): Record<string, R> {
  return Object.fromEntries(records.map((record) => [recordName(record.id), record]));
}

function promised(record: ModelRecord) {
  const { id, version, deleted, sequence, state, attempts, error, serviceId, looks } = record;
  const { applied, appliedSequence, doubts } = record;
  const answered = looks !== undefined && record.answered;
  const dueAt = state === "claimed" ? undefined : record.dueAt;
  const waitsFor = state === "waiting" ? record.waits.map(recordName).toSorted() : [];
  const life = { id, version, deleted, sequence, state, attempts, dueAt, error, waitsFor };
  return { ...life, serviceId, looks, answered, applied, appliedSequence, doubts };
}

function seen(view: RecordView): ReturnType<typeof promised> {
  const { id, row, deleted, sequence, state, attempts, dueAt, appliedSequence } = view;
  const life = { id, version: Number(row["version"]), deleted, sequence, state, attempts, dueAt };
  return {
    ...life,
    error: view.error?.code,
    waitsFor: view.waitsFor.map(recordName),
    serviceId: view.binding?.serviceId,
    looks: view.intent?.looks,
    answered: view.intent?.answered ?? false,
    applied: valueOf(view.applied),
    appliedSequence,
    doubts: valueOf(view.inFlight?.fields),
  };
}

function valueOf(projection: RecordView["applied"]): number | undefined {
  return projection === undefined ? undefined : Number(projection["value"]);
}

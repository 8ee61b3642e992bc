import { errorFacts, recordName, StopError, type Clock, type Outcome, type RecordId, type StreamName } from "#model";
import type { Stream } from "#mapping";
import type { Service } from "#service";
import type { Claim, Parents, Store } from "#store";
import type { Logger } from "#telemetry";
import { decide } from "../decide/decide.ts";
import { anyAct, NotApprovedError, type ExpectAct } from "../approve/approved.ts";
import { attemptEntry } from "./failures/attempt-entry.ts";
import { Creator } from "./create/create.ts";
import { DeleteGuard, type DeleteGuardSettings } from "../holds/delete-guard.ts";
import { EmptyFields } from "./update/empty-fields.ts";
import { DroppedFields } from "./update/dropped-fields.ts";
import { FoundRecords } from "../counterpart/found-records.ts";
import { KeysInFlight } from "../match/keys-in-flight.ts";
import type { Leases } from "./leases.ts";
import { LiveKnowledge, type LiveKnowledgeDeps } from "./live-knowledge.ts";
import type { Matcher } from "../match/matcher.ts";
import { MatchProof, type MatchProofDeps } from "./create/match-proof.ts";
import type { Delivery, Observer } from "../observer.ts";
import { Merges } from "../counterpart/merges.ts";
import { MergedTickets } from "./update/merged-tickets.ts";
import { Performer } from "./perform.ts";
import type { Next } from "./performed.ts";
import { Presence } from "../counterpart/presence.ts";
import { Remover } from "./delete/removal.ts";
import { Replacement } from "./replacement.ts";
import { Resolver } from "../wanted/resolver.ts";
import type { StoreAge } from "../compare/store-age.ts";
import { Updates } from "./update/updates.ts";
import { CreateSettlement, UncertainError } from "./create/settlement.ts";
import { decideRetry, type RetryPolicy } from "./failures/retry-decision.ts";

export interface SynchronizerDeps {
  readonly store: Store;
  readonly service: Service;
  readonly matcher: Matcher;
  readonly age: Pick<StoreAge, "tell">;
  readonly leases: Leases;
  readonly streams: ReadonlyMap<StreamName, Stream>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: Required<Observer>;
  readonly policy: RetryPolicy & { readonly settleMs: number };
  readonly guard: DeleteGuardSettings;
  /** Refuses what a person did not approve. Default: everything may be written. */
  readonly expect?: ExpectAct | undefined;
  /** Holds a stream whose created records cannot be found again. */
  readonly close: MatchProofDeps["close"];
  /** Stops the daemon, which cannot continue. */
  readonly stop: (error: StopError) => void;
}

/**
 * Brings one record to its state in the ERP: claims it, decides, and carries that out, until it is done. Each step is stored before the next
 * begins, so a delivery can die anywhere and be repeated.
 */
export class Synchronizer {
  readonly #deps: SynchronizerDeps;
  readonly #performer: Performer;
  readonly #keys = new KeysInFlight();
  readonly #presence: Presence;
  readonly #proof: MatchProof;
  readonly #known: LiveKnowledgeDeps;
  /** Running deliveries, by record. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(deps: SynchronizerDeps) {
    const { store, service, matcher, logger, close, age, streams, expect = anyAct } = deps;
    const { settleMs } = deps.policy;
    this.#deps = deps;
    const dropped = new DroppedFields(store, service, logger);
    const presence = new Presence(store, service);
    const merges = new Merges({ store, presence });
    const known = {
      bindings: (ids: readonly RecordId[]) => merges.bindings(ids),
      record: (id: RecordId) => store.record(id),
    };
    const resolver = new Resolver(known, service);
    const merged = new MergedTickets({ store, presence, merges, expect });
    const updates = new Updates(store, service, settleMs, age, expect);
    const emptyFields = new EmptyFields(presence);
    const proof = new MatchProof({ store, service, logger, close });
    const keys = this.#keys;
    const found = new FoundRecords(store, presence, expect);
    const writing = { store, service, age, dropped, expect };
    const remover = new Remover({ ...writing, presence, resolver, updates, merged, streams });
    const settlement = new CreateSettlement({ store, service, matcher, presence, found, keys, proof, settleMs });
    const creator = new Creator({ ...writing, matcher, found, keys, proof, merges });
    const replacement = new Replacement({ store, matcher, presence, found, remover, expect });
    const steps = { settlement, creator, remover, replacement, updates, emptyFields, dropped, merged, found };
    this.#presence = presence;
    this.#proof = proof;
    this.#performer = new Performer({ store, matcher, ...steps });
    const guard = new DeleteGuard(deps);
    this.#known = { store, resolver, matcher, found, keys, merged, emptyFields, remover, guard };
  }

  /** Resolves once no delivery is running that only the leader may make. */
  trialsEnded(): Promise<void> {
    return this.#proof.trialsEnded();
  }

  /**
   * Runs one delivery. Never throws: the store holds the result. Does nothing if the record cannot be claimed. One process never
   * delivers a record twice at once, even if the clock jumps past a lease or a lease is not renewed in time.
   */
  async deliver(id: RecordId, signal: AbortSignal): Promise<void> {
    const name = recordName(id);
    for (let other = this.#running.get(name); other; other = this.#running.get(name)) await other;
    const delivery = this.#deliver(id, signal).finally(() => this.#running.delete(name));
    this.#running.set(name, delivery);
    await delivery;
  }

  async #deliver(id: RecordId, signal: AbortSignal): Promise<void> {
    const { store, streams, leases, clock, logger } = this.#deps;
    const stream = streams.get(id.stream);
    if (!stream) return;
    const startedAt = clock.now();
    let claim: Claim | undefined;
    let drop: (() => void) | undefined;
    const knowledge = new LiveKnowledge(this.#known);
    try {
      claim = await store.claim(id);
      if (!claim) return;
      drop = leases.hold(claim);
      const outcome = await this.#run(claim, stream, knowledge, signal).catch(
        this.#presence.verifyRefusal(claim, stream.resource, signal),
      );
      const now = clock.now();
      const since = claim.changedAt === undefined ? {} : { sinceChangeMs: Math.max(0, now - claim.changedAt) };
      this.#delivered(claim, { kind: "done", outcome, durationMs: now - startedAt, ...since });
    } catch (thrown) {
      if (claim) await this.#failed(claim, thrown, knowledge.parents, startedAt, signal);
      else if (thrown instanceof StopError) this.#deps.stop(thrown);
      else logger.warn({ stream: id.stream, key: id.key, err: errorFacts(thrown) }, "record was not claimed");
    } finally {
      drop?.();
    }
  }

  async #run(claim: Claim, stream: Stream, knowledge: LiveKnowledge, signal: AbortSignal): Promise<Outcome> {
    // A person or another process may have settled the record's create.
    if (claim.binding) this.#keys.release(claim.id);
    let next: Next = { claim, decide: () => decide(claim, stream, knowledge, signal) };
    for (;;) {
      const action = await next.decide().catch((thrown: unknown) => {
        knowledge.release();
        throw thrown;
      });
      const end = await this.#performer.perform(action, { claim: next.claim, stream, knowledge, signal });
      if (end === "again") continue;
      if (typeof end === "string") return end;
      next = end;
    }
  }

  async #failed(
    claim: Claim,
    thrown: unknown,
    parents: Parents,
    startedAt: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, service, clock, policy, stop, logger, streams } = this.#deps;
    const durationMs = clock.now() - startedAt;
    const attempt = { claim, stream: streams.get(claim.id.stream), thrown, durationMs };
    try {
      if (signal.aborted || thrown instanceof NotApprovedError)
        return void (await store.end(claim, { kind: "release" }));
      if (thrown instanceof UncertainError) {
        await store.end(claim, { kind: "uncertain", error: errorFacts(thrown) });
        return this.#delivered(claim, { kind: "uncertain", error: errorFacts(thrown), durationMs });
      }
      const serviceIsDown = service.state().state !== "closed";
      const decided = decideRetry(thrown, clock.now(), claim.attempts, serviceIsDown, policy);
      switch (decided.kind) {
        case "lost":
          return;
        case "stop":
          await store.end(claim, { kind: "release" }).catch(() => {});
          return stop(decided.error);
        case "park":
          await store.end(claim, { ...decided, parents, audit: attemptEntry(attempt, decided.error) });
          return this.#delivered(claim, { kind: "parked", error: decided.error, durationMs });
        case "wait":
          await store.end(claim, decided);
          return this.#delivered(claim, { kind: "waiting", error: decided.error, durationMs });
        case "retry":
          if (decided.error.code === "E_INTERNAL") {
            const err = thrown instanceof Error ? thrown : decided.error;
            logger.error({ ...claim.id, err }, "delivery failed unexpectedly");
          }
          await store.end(claim, { ...decided, audit: attemptEntry(attempt, decided.error) });
          return this.#delivered(claim, { kind: "retry", error: decided.error, durationMs });
      }
    } catch (storeError) {
      // Otherwise the claim's lease expires and the record is delivered again.
      if (storeError instanceof StopError) return stop(storeError);
      logger.warn({ ...claim.id, err: errorFacts(storeError) }, "delivery was not recorded");
    }
  }

  #delivered(claim: Claim, delivery: Delivery): void {
    const { logger, observer } = this.#deps;
    const fields = { ...claim.id, sequence: claim.sequence, durationMs: delivery.durationMs };
    if (delivery.kind === "done") logger.debug({ ...fields, outcome: delivery.outcome }, "record delivered");
    else if (delivery.kind === "parked" || delivery.kind === "uncertain")
      logger.debug({ ...fields, err: delivery.error }, "record parked");
    else logger.debug({ ...fields, err: delivery.error }, "record postponed");
    observer.delivered(claim.id, delivery);
  }
}

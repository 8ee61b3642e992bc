import {
  errorFacts,
  ParkError,
  recordName,
  StopError,
  SyncError,
  type Clock,
  type Outcome,
  type Projection,
  type RecordId,
  type StreamName,
} from "#model";
import type { Stream } from "#mapping";
import type { Service } from "#service";
import type { BoundClaim, Claim, Parents, Store } from "#store";
import type { Logger } from "#telemetry";
import { anyAct, NotApprovedError, type ExpectAct } from "./approved.ts";
import { attemptEntry } from "./attempt-entry.ts";
import { Creator } from "./create.ts";
import { DeleteGuard, type DeleteGuardSettings } from "../poll/delete-guard.ts";
import { DeletedRecords } from "./deletions/deleted-records.ts";
import { courseOf, expectSameResource } from "./course.ts";
import { EmptyFields } from "./empty-fields.ts";
import { DroppedFields } from "./dropped-fields.ts";
import { fieldDropped, withoutLost } from "./lost-fields.ts";
import { FoundRecords } from "../match/found-records.ts";
import { KeysInFlight } from "../match/keys-in-flight.ts";
import type { Leases } from "./leases.ts";
import type { Matcher } from "../match/matcher.ts";
import { MatchProof, type MatchProofDeps } from "../match/match-proof.ts";
import type { Delivery, Observer } from "../observer.ts";
import { Merges } from "../match/merges.ts";
import { MergedTickets } from "./merged-tickets.ts";
import { Presence } from "../match/presence.ts";
import { Remover } from "./deletions/removal.ts";
import { Replacement } from "./replacement.ts";
import { Resolver, type Wanted } from "./resolver.ts";
import type { StoreAge } from "../wake/store-age.ts";
import { updateEntry, Updates } from "./updates.ts";
import { CreateSettlement, UncertainError } from "./settlement.ts";
import { decideRetry, type RetryPolicy } from "./retry-decision.ts";

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

type Ended = { readonly outcome: Outcome };

/**
 * Brings one record to its state in the ERP: claims it, settles a create that was begun, maps, resolves, then creates, updates or
 * removes it. Each step is stored before the next begins, so a delivery can die anywhere and be repeated.
 */
export class Synchronizer {
  readonly #deps: SynchronizerDeps;
  readonly #resolver: Resolver;
  readonly #creator: Creator;
  readonly #settlement: CreateSettlement;
  readonly #deletedRecords: DeletedRecords<Claim>;
  readonly #foundRecords: FoundRecords;
  readonly #keys = new KeysInFlight();
  readonly #remover: Remover;
  readonly #replacement: Replacement;
  readonly #updates: Updates;
  readonly #emptyFields: EmptyFields;
  readonly #dropped: DroppedFields;
  readonly #presence: Presence;
  readonly #merged: MergedTickets;
  readonly #proof: MatchProof;
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
    this.#merged = new MergedTickets({ store, presence, merges, expect });
    const updates = new Updates(store, service, settleMs, age, expect);
    this.#presence = presence;
    this.#emptyFields = new EmptyFields(presence);
    this.#dropped = dropped;
    this.#resolver = resolver;
    this.#updates = updates;
    const guard = new DeleteGuard(deps);
    const writing = { store, service, age, dropped, expect };
    this.#remover = new Remover({ ...writing, presence, guard, resolver, updates, merged: this.#merged, streams });
    const proof = new MatchProof({ store, service, logger, close });
    this.#proof = proof;
    const keys = this.#keys;
    const found = new FoundRecords(store, presence, expect);
    this.#foundRecords = found;
    this.#settlement = new CreateSettlement({ store, service, matcher, presence, found, keys, proof, settleMs });
    this.#creator = new Creator({ ...writing, matcher, found, keys, proof, merges });
    const [creator, remover] = [this.#creator, this.#remover];
    this.#replacement = new Replacement({ store, matcher, presence, found, creator, remover, expect });
    this.#deletedRecords = new DeletedRecords({ store, resolver, adopt: (...of) => this.#creator.adopt(...of) });
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
    const used: { parents: Parents } = { parents: [] };
    try {
      claim = await store.claim(id);
      if (!claim) return;
      drop = leases.hold(claim);
      const { outcome } = await this.#run(claim, stream, used, signal).catch(
        this.#presence.sober(claim, stream.resource, signal),
      );
      const now = clock.now();
      const since = claim.changedAt === undefined ? {} : { sinceChangeMs: Math.max(0, now - claim.changedAt) };
      this.#delivered(claim, { kind: "done", outcome, durationMs: now - startedAt, ...since });
    } catch (thrown) {
      if (claim) await this.#failed(claim, thrown, used.parents, startedAt, signal);
      else if (thrown instanceof StopError) this.#deps.stop(thrown);
      else logger.warn({ stream: id.stream, key: id.key, err: errorFacts(thrown) }, "record was not claimed");
    } finally {
      drop?.();
    }
  }

  async #run(claim: Claim, stream: Stream, used: { parents: Parents }, signal: AbortSignal): Promise<Ended> {
    const { store } = this.#deps;
    expectSameResource(claim, stream);
    if (claim.intent && (await this.#settlement.settle(claim, claim.intent, stream, signal)))
      return { outcome: "created" };
    const course = await courseOf(claim, stream, this.#resolver, signal);
    switch (course.kind) {
      case "skip":
        await store.skip(claim, course.reason);
        return { outcome: "skipped" };
      case "remove":
        if (course.isSought && (await this.#deletedRecords.bind(claim, stream, signal))) return { outcome: "adopted" };
        return { outcome: await this.#remover.remove(claim, stream, course.deletion, signal) };
      case "write":
        used.parents = course.wanted.parents;
        return this.#write(claim, stream, course.wanted, signal);
    }
  }

  async #write(taken: Claim, stream: Stream, wanted: Wanted, signal: AbortSignal): Promise<Ended> {
    const claim = await this.#remover.finishInterruptedDeletion(taken, signal);
    if (!claim.binding) return { outcome: await this.#creator.create(claim, stream, wanted, signal) };
    // A person or another replica may have settled the record's create.
    this.#keys.release(claim.id);
    try {
      return await this.#update(claim, stream, wanted, signal);
    } catch (thrown) {
      if (!(thrown instanceof SyncError)) throw thrown;
      return { outcome: await this.#replacement.replace({ claim, stream, wanted, thrown }, signal) };
    }
  }

  async #update(claim: BoundClaim, stream: Stream, wanted: Wanted, signal: AbortSignal): Promise<Ended> {
    const { store } = this.#deps;
    if (await this.#merged.followKnown(claim, stream, wanted, signal)) return { outcome: "adopted" };
    const last = claim.applied ?? (await this.#found(claim, wanted, signal));
    const { projection, change } = await this.#emptyFields.edited(claim, last, wanted, signal);
    if (!change) {
      await store.apply(claim, { projection, outcome: "unchanged", parents: wanted.parents });
      return { outcome: "unchanged" };
    }
    const written = await this.#updates.send(claim, claim.binding.resource, change, signal);
    if (written.mergedTo !== undefined) {
      await this.#merged.follow(claim, stream, wanted, written.mergedTo, signal);
      return { outcome: "adopted" };
    }
    const isRekeyed = stream.match.some(({ fields }) => fields.some((field) => field in change.after));
    // Before the delivery ends: a crash after it would lose this information.
    const { lost, after } = await this.#dropped.settle(stream, wanted, written, change, signal);
    if (lost.length > 0 && Object.keys(after).length === 0) {
      await store.markInFlight(claim, undefined);
      throw fieldDropped(claim.binding.resource, claim.binding.serviceId, lost);
    }
    const held = withoutLost(projection, lost);
    await store.apply(claim, {
      projection: held,
      outcome: "updated",
      parents: wanted.parents,
      keys: isRekeyed ? this.#deps.matcher.keys(stream, held) : undefined,
      // A lost field is sent once more, alone, to find out whether it is lost for good.
      again: lost.length > 0,
      audit: updateEntry(claim.binding, written, { after }, "updated"),
    });
    return { outcome: "updated" };
  }

  /** What a record that a person bound holds in the service. It counts as last written, so that only differences are sent. */
  async #found(claim: BoundClaim, wanted: Wanted, signal: AbortSignal): Promise<Projection> {
    const { resource, serviceId } = claim.binding;
    const held = await this.#foundRecords.held(resource, serviceId, wanted, signal);
    if (!held) throw new ParkError("E_RECORD_GONE", `the service does not have ${resource} ${serviceId}`);
    return held;
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
      if (signal.aborted || thrown instanceof NotApprovedError) return await store.release(claim);
      if (thrown instanceof UncertainError) {
        await store.uncertain(claim, errorFacts(thrown));
        return this.#delivered(claim, { kind: "uncertain", error: errorFacts(thrown), durationMs });
      }
      const serviceIsDown = service.state().state !== "closed";
      const decided = decideRetry(thrown, clock.now(), claim.attempts, serviceIsDown, policy);
      switch (decided.kind) {
        case "lost":
          return;
        case "stop":
          await store.release(claim).catch(() => {});
          return stop(decided.error);
        case "park":
          await store.park(claim, decided.error, { parents, audit: attemptEntry(attempt, decided.error) });
          return this.#delivered(claim, { kind: "parked", error: decided.error, durationMs });
        case "wait":
          await store.wait(claim, decided);
          return this.#delivered(claim, { kind: "waiting", error: decided.error, durationMs });
        case "retry":
          if (decided.error.code === "E_INTERNAL") {
            const err = thrown instanceof Error ? thrown : decided.error;
            logger.error({ ...claim.id, err }, "delivery failed unexpectedly");
          }
          await store.retry(claim, decided.error, decided.dueAt, attemptEntry(attempt, decided.error));
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

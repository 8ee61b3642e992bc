import {
  ParkError,
  RetryError,
  type JsonObject,
  type Projection,
  type RecordId,
  type ResourceName,
  type ServiceId,
} from "#model";
import type { Stream } from "#mapping";
import type { Service, Written } from "#service";
import type { Claim, DeliveryStore, NoteStore, RecordStore, Store } from "#store";
import type { DroppedFields } from "./dropped-fields.ts";
import type { FoundRecords } from "../match/found-records.ts";
import { expectEnded, reserveKeys, type KeysInFlight } from "../match/keys-in-flight.ts";
import type { MatchProof } from "../match/match-proof.ts";
import { ambiguous, expectUntaken, type Found } from "../match/candidates.ts";
import { ABSENT, absentReason } from "../match/left-out.ts";
import { expectFree, merged, type Merges } from "../match/merges.ts";
import { naturalKey } from "../match/natural-key.ts";
import type { Freshness, Matcher } from "../match/matcher.ts";
import type { Wanted } from "./resolver.ts";
import type { ExpectAct } from "./approved.ts";
import { withoutLost } from "./lost-fields.ts";
import { respelledNote } from "../notes.ts";
import type { StoreAge } from "../wake/store-age.ts";
import { provesExecuted, provesNotExecuted } from "./retry-decision.ts";

export interface CreatorDeps {
  readonly store: DeliveryStore & RecordStore & NoteStore & Pick<Store, "replicas">;
  readonly service: Service;
  readonly matcher: Matcher;
  readonly found: FoundRecords;
  readonly keys: KeysInFlight;
  readonly dropped: DroppedFields;
  readonly proof: MatchProof;
  readonly merges: Merges;
  readonly age: Pick<StoreAge, "tell">;
  readonly expect: ExpectAct;
}

/**
 * Gives a record its counterpart in the service: adopts an existing record or creates one. Duplicates could arise here, so every
 * path looks for the record first.
 */
export class Creator {
  readonly #deps: CreatorDeps;

  constructor(deps: CreatorDeps) {
    this.#deps = deps;
  }

  /**
   * Binds an unbound record to the one service record with its natural key, or else to a new one. If a person decided so, creates a
   * new one without looking. A stream that creates none leaves the record out instead.
   * @throws {ParkError} E_MATCH_AMBIGUOUS when several records match the natural key.
   */
  async create(
    claim: Claim,
    stream: Stream,
    wanted: Wanted,
    signal: AbortSignal,
  ): Promise<"adopted" | "created" | "skipped"> {
    if (stream.create === "never") return this.#adoptOrSkip(claim, stream, wanted, signal);
    return this.#adoptOrCreate(claim, stream, wanted, signal);
  }

  async #adoptOrSkip(
    claim: Claim,
    stream: Stream,
    wanted: Wanted,
    signal: AbortSignal,
  ): Promise<"adopted" | "skipped"> {
    const others = await this.#bindFound(claim, stream, wanted, signal);
    if (others === undefined) return "adopted";
    await this.#deps.store.skip(claim, absentReason(stream, wanted.projection, others), ABSENT);
    return "skipped";
  }

  async #adoptOrCreate(
    claim: Claim,
    stream: Stream,
    wanted: Wanted,
    signal: AbortSignal,
  ): Promise<"adopted" | "created"> {
    const { store, service, proof, keys, age, expect } = this.#deps;
    const { resource } = stream;
    /** Whether the service may have carried out the create. Only an error of the request itself can rule that out. */
    let isOpen = false;
    const post = async (): Promise<Written> => {
      expect(claim, { kind: "create" });
      await age.tell(await store.begin(claim, { resource, projection: wanted.projection }));
      isOpen = true;
      keys.note(claim.id, "under way");
      const creating = service.create(resource, withoutNulls(wanted.projection), signal);
      const written = await creating.catch(async (thrown: unknown) => {
        isOpen = signal.aborted || !provesNotExecuted(thrown);
        if (provesExecuted(thrown)) await store.answered(claim);
        else if (!isOpen) await store.abandon(claim);
        throw thrown;
      });
      return written;
    };
    try {
      if (looksFirst(claim, stream)) {
        // Reserve before looking: a record that another create makes meanwhile is not this one's.
        await this.#reserve(claim, stream, wanted.projection);
        const others = await this.#bindFound(claim, stream, wanted, signal);
        if (others === undefined) {
          keys.release(claim.id);
          return "adopted";
        }
        await expectUntaken(store, claim.id, resource, wanted.projection, others);
      }
      const written = await proof.create(stream, wanted.projection, post, signal);
      await this.#bindCreated(claim, stream, wanted, written, signal);
    } catch (thrown) {
      if (isOpen) keys.note(claim.id, "open");
      else keys.release(claim.id);
      throw thrown;
    }
    keys.release(claim.id);
    return "created";
  }

  async #reserve(claim: Claim, stream: Stream, projection: Projection): Promise<void> {
    const { store, keys } = this.#deps;
    const replicas = await reserveKeys(store, claim, stream, projection);
    if (replicas) await expectEnded(store, stream.resource, replicas);
    const owner = keys.owner(stream, projection, claim.id);
    if (owner) {
      await expectEnded(store, stream.resource, owner);
      keys.release(owner);
    }
    keys.reserve(stream, projection, claim.id);
  }

  /**
   * Binds an unbound record to the one service record with its natural key. Returns false when there is none.
   * @throws {ParkError} E_MATCH_AMBIGUOUS when several records match the natural key.
   */
  async adopt(claim: Claim, stream: Stream, wanted: Wanted, signal: AbortSignal): Promise<boolean> {
    return (await this.#bindFound(claim, stream, wanted, signal)) === undefined;
  }

  /**
   * Returns undefined once the record is bound, otherwise the other owners of its natural key. Looks past records that people
   * deleted, or gave another key, since the index was read.
   */
  async #bindFound(claim: Claim, stream: Stream, wanted: Wanted, signal: AbortSignal): Promise<Found | undefined> {
    const { matcher, found: records, proof } = this.#deps;
    const { projection } = wanted;
    const others = new Set<ServiceId>();
    let freshness: Freshness = "young";
    for (;;) {
      const found = await matcher.find(stream, projection, claim.id, signal, freshness, others);
      if (found.free.length === 0) return found;
      await this.#expectNoMaker(claim.id, stream.resource, found, projection);
      const present = await records.present(stream.resource, found, projection, signal);
      if (present.length > 1) throw ambiguous(stream.resource, present);
      const [serviceId] = present;
      const end =
        serviceId === undefined ? "gone" : await records.adopt(claim, stream, serviceId, found, wanted, signal);
      if (typeof end === "object") {
        const survivor = await this.#deps.merges.survivor(
          { resource: stream.resource, serviceId: serviceId! },
          end.mergedTo,
          signal,
        );
        return this.#adoptSurvivor(claim, stream, serviceId!, survivor, wanted, signal);
      }
      if (end === "bound") {
        await proof.found(stream);
        return undefined;
      }
      if (end === "rekeyed") freshness = "afresh";
      if (end !== "taken") for (const id of found.free) others.add(id);
    }
  }

  /** Binds to the record that the one with the natural key was merged into. */
  async #adoptSurvivor(
    claim: Claim,
    stream: Stream,
    former: ServiceId,
    survivor: ServiceId,
    wanted: Wanted,
    signal: AbortSignal,
  ): Promise<undefined> {
    const { merges, found, proof } = this.#deps;
    const { resource } = stream;
    const merge = { resource, serviceId: former };
    await expectFree(this.#deps.store, claim.id, merge, survivor);
    // Before it is refused: the next plan names the one that is left.
    await merges.keep(claim.id, merge, survivor);
    const rule = stream.match.find((each) => naturalKey(each, wanted.projection) !== undefined);
    const end = await found.adopt(claim, stream, survivor, { free: [survivor], rule }, wanted, signal);
    if (end !== "bound") throw merged(resource, former, survivor, "which has another key or belongs to another record");
    await proof.found(stream);
  }

  /** Refuses to adopt a record that another record's create may have made. */
  async #expectNoMaker(self: RecordId, resource: ResourceName, { rule }: Found, projection: Projection): Promise<void> {
    const maker = rule && this.#deps.keys.maker(resource, rule, projection, self);
    if (maker) await expectEnded(this.#deps.store, resource, maker);
  }

  async #bindCreated(
    claim: Claim,
    stream: Stream,
    wanted: Wanted,
    written: Written,
    signal: AbortSignal,
  ): Promise<void> {
    const { resource } = stream;
    const { serviceId, status, durationMs } = written;
    // Before the delivery ends: a crash after it would lose this information.
    for (const { field } of written.dropped)
      if (stream.match.some(({ fields }) => fields.includes(field)))
        await this.#deps.store.saveNote(respelledNote(stream.name, field), { resource, serviceId });
    const { lost } = await this.#deps.dropped.settle(stream, wanted, written, { after: {} }, signal);
    const binding = this.#deps.store.bind(
      claim,
      { resource, serviceId },
      {
        projection: withoutLost(wanted.projection, lost),
        outcome: "created",
        // A lost field is sent again, by an update.
        again: lost.length > 0,
        parents: wanted.parents,
        // Another replica may look for the natural key as soon as the claim has ended.
        keys: this.#deps.matcher.keys(stream, wanted.projection),
        audit: {
          action: "create",
          resource,
          serviceId,
          after: { ...wanted.projection },
          outcome: "created",
          status,
          durationMs,
        },
      },
    );
    await binding.catch((thrown: unknown) => this.#lookAgain(claim, resource, thrown));
    await this.#deps.merges.correct(claim.id, wanted.projection, wanted.parents);
  }

  /** Requests a new look for the created record if the service answered with the id of a record that is already bound. */
  async #lookAgain(claim: Claim, resource: ResourceName, thrown: unknown): Promise<never> {
    if (!(thrown instanceof ParkError) || thrown.code !== "E_ALREADY_BOUND") throw thrown;
    await this.#deps.store.answered(claim);
    throw new RetryError("E_CREATE_UNKNOWN", `the service answered the create of a ${resource}: ${thrown.message}`, {
      cause: thrown,
      outcomeUnknown: true,
      details: thrown.details,
    });
  }
}

/**
 * Whether to look for the record in the service before creating it. False without a match rule, or when a person said that the
 * service does not have it.
 */
export function looksFirst({ decision }: Pick<Claim, "decision">, { match }: Stream): boolean {
  return match.length > 0 && decision?.kind !== "create";
}

/** The projection without null fields: a create omits fields that have no value. */
export function withoutNulls(projection: Projection): JsonObject {
  return Object.fromEntries(Object.entries(projection).filter(([, value]) => value !== null));
}

import { ParkError, RetryError, type ResourceName, type ServiceId } from "#model";
import type { Stream } from "#mapping";
import type { Service, Written } from "#service";
import type { Claim, DeliveryStore, NoteStore, RecordStore, Store } from "#store";
import type { DroppedFields } from "../update/dropped-fields.ts";
import type { FoundRecords } from "../../counterpart/found-records.ts";
import type { KeysInFlight } from "../../match/keys-in-flight.ts";
import type { MatchProof } from "./match-proof.ts";
import { merged } from "../../counterpart/merged-error.ts";
import { expectFree, forgetMerges, type Merges } from "../../counterpart/merges.ts";
import { naturalKey } from "../../match/natural-key.ts";
import type { Matcher } from "../../match/matcher.ts";
import type { Action } from "../../decide/action.ts";
import { withoutNulls } from "../../wanted/difference.ts";
import type { Wanted } from "../../wanted/resolver.ts";
import type { ExpectAct } from "../../approve/approved.ts";
import { withoutLost } from "../update/lost-fields.ts";
import { respelledNote } from "../../notes.ts";
import type { StoreAge } from "../../compare/store-age.ts";
import { provesExecuted, provesNotExecuted } from "../failures/retry-decision.ts";

export interface CreatorDeps {
  readonly store: DeliveryStore & RecordStore & NoteStore & Pick<Store, "cluster">;
  readonly service: Pick<Service, "create">;
  readonly matcher: Matcher;
  readonly found: FoundRecords;
  readonly keys: KeysInFlight;
  readonly dropped: DroppedFields;
  readonly proof: MatchProof;
  readonly merges: Merges;
  readonly age: Pick<StoreAge, "tell">;
  readonly expect: ExpectAct;
}

/** Gives a record the counterpart in the service that was decided: one that was found there, or a new one. */
export class Creator {
  readonly #deps: CreatorDeps;

  constructor(deps: CreatorDeps) {
    this.#deps = deps;
  }

  /**
   * Creates the record in the service and binds it. Others with its natural key wait as long as the service may have carried out the create.
   * @throws any error of the create. If its result is unknown, the store keeps its intent.
   */
  async create(claim: Claim, stream: Stream, wanted: Wanted, signal: AbortSignal): Promise<void> {
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
        if (provesExecuted(thrown)) await store.noteCreate(claim, "answered");
        else if (!isOpen) await store.noteCreate(claim, "absent");
        throw thrown;
      });
      return written;
    };
    try {
      const written = await proof.create(stream, wanted.projection, post, signal);
      await this.#bindCreated(claim, stream, wanted, written, signal);
    } catch (thrown) {
      if (isOpen) keys.note(claim.id, "open");
      else keys.release(claim.id);
      throw thrown;
    }
    keys.release(claim.id);
  }

  /**
   * Binds an unbound record to the service record that was found, or to the one that it was merged into. Tells why that was not possible any
   * more: what was merged into a record that is gone is gone, too.
   * @throws {ParkError} E_MATCH_AMBIGUOUS, and E_TICKET_MERGED when the one that is left is another record's.
   */
  async adopt(
    claim: Claim,
    stream: Stream,
    { serviceId, found, wanted }: Extract<Action, { kind: "adopt" }>,
    signal: AbortSignal,
  ): Promise<"bound" | "gone" | "rekeyed" | "taken"> {
    const { found: records, proof, merges } = this.#deps;
    const end = await records.adopt(claim, stream, serviceId, found, wanted, signal);
    if (typeof end === "object") {
      const merge = { resource: stream.resource, serviceId };
      const { serviceId: survivor, isGone } = await merges.last(merge, end.mergedTo, signal);
      if (isGone) {
        await forgetMerges(this.#deps.store, claim.id, stream.resource);
        return "gone";
      }
      await this.#adoptSurvivor(claim, stream, serviceId, survivor, wanted, signal);
    } else if (end !== "bound") return end;
    await proof.found(stream);
    return "bound";
  }

  /** Binds to the record that the one with the natural key was merged into. */
  async #adoptSurvivor(
    claim: Claim,
    stream: Stream,
    former: ServiceId,
    survivor: ServiceId,
    wanted: Wanted,
    signal: AbortSignal,
  ): Promise<void> {
    const { merges, found } = this.#deps;
    const { resource } = stream;
    const merge = { resource, serviceId: former };
    // Before it is refused: the next plan names the one that is left, which has what refers to this record.
    await merges.keep(claim.id, merge, survivor);
    await expectFree(this.#deps.store, claim.id, merge, survivor);
    const rule = stream.match.find((each) => naturalKey(each, wanted.projection) !== undefined);
    const end = await found.adopt(claim, stream, survivor, { free: [survivor], rule }, wanted, signal);
    if (end !== "bound") throw merged(resource, former, survivor, "which has another key or belongs to another record");
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
    const binding = this.#deps.store.end(claim, {
      kind: "bind",
      binding: { resource, serviceId },
      applied: {
        projection: withoutLost(wanted.projection, lost),
        outcome: "created",
        // A lost field is sent again, by an update.
        again: lost.length > 0,
        parents: wanted.parents,
        // Another process may look for the natural key as soon as the claim has ended.
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
    });
    await binding.catch((thrown: unknown) => this.#lookAgain(claim, resource, thrown));
    await this.#deps.merges.correct(claim.id, wanted.projection, wanted.parents);
  }

  /** Requests a new look for the created record if the service answered with the id of a record that is already bound. */
  async #lookAgain(claim: Claim, resource: ResourceName, thrown: unknown): Promise<never> {
    if (!(thrown instanceof ParkError) || thrown.code !== "E_ALREADY_BOUND") throw thrown;
    await this.#deps.store.noteCreate(claim, "answered");
    throw new RetryError("E_CREATE_UNKNOWN", `the service answered the create of a ${resource}: ${thrown.message}`, {
      cause: thrown,
      outcomeUnknown: true,
      details: thrown.details,
    });
  }
}

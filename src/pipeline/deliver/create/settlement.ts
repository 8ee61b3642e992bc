import { counted, ParkError, WaitError, type Json, type RecordId, type ServiceId } from "#model";
import type { Stream } from "#mapping";
import { sameValue, type Service } from "#service";
import type { Claim, DeliveryStore, Intent, NoteStore, RecordStore } from "#store";
import type { FoundRecords } from "../../counterpart/found-records.ts";
import type { KeysInFlight } from "../../match/keys-in-flight.ts";
import { SettleTimers } from "./settle-timers.ts";
import type { MatchProof } from "./match-proof.ts";
import type { Matcher } from "../../match/matcher.ts";
import { naturalKey } from "../../match/natural-key.ts";
import type { Presence } from "../../counterpart/presence.ts";
import { respelledNote } from "../../notes.ts";

export interface CreateSettlementDeps {
  readonly store: DeliveryStore & RecordStore & NoteStore;
  readonly service: Pick<Service, "exposedMs">;
  readonly matcher: Matcher;
  readonly presence: Presence;
  readonly found: FoundRecords;
  readonly keys: KeysInFlight;
  readonly proof: MatchProof;
  /** How long after a create of unknown outcome its record may still appear in the service, in milliseconds. */
  readonly settleMs: number;
}

/** Finds out what became of a create whose end was not seen. Nothing is created again until that is certain. */
export class CreateSettlement {
  readonly #deps: CreateSettlementDeps;
  readonly #looks: SettleTimers;

  constructor(deps: CreateSettlementDeps) {
    this.#deps = deps;
    this.#looks = new SettleTimers(deps.settleMs);
  }

  /**
   * Settles the open `intent` of a claim. Returns true when the record was found and bound, which ends the claim. Returns false
   * when it is certain that nothing was created; the intent is then closed.
   * @throws {WaitError} E_CREATE_UNSETTLED while the record may still appear in the service.
   * @throws {UncertainError} when the record cannot be looked for, or when several records could be it.
   */
  async settle(claim: Claim, intent: Intent, stream: Stream, signal: AbortSignal): Promise<boolean> {
    const { store, service, matcher, found, keys, proof } = this.#deps;
    if (!stream.match.some((rule) => naturalKey(rule, intent.projection) !== undefined))
      throw new UncertainError(`${whatIsKnown(intent)}; the stream has no match rule to look for it`);
    // Before the list is read: the settling time may end during the read.
    const freshness = this.#looks.look(claim.id, intent, service.exposedMs());
    const { free, rule } = await matcher.find(stream, intent.projection, claim.id, signal, freshness);
    // A record that another create has just made may resemble this one.
    const { resource, projection, decided } = intent;
    const maker = rule && free.length > 0 ? keys.maker(resource, rule, projection, claim.id, true) : undefined;
    const isLast = freshness === "afresh" && !maker;
    const candidates = maker ? [] : await found.present(resource, { free, rule }, projection, signal, decided ? 1 : 2);
    const [serviceId, ...others] = candidates;
    // A record that a person ruled out as the result has the natural key, too.
    if (others.length > 0 || (serviceId !== undefined && decided && isLast))
      throw new UncertainError(
        `${whatIsKnown(intent)}; ${counted(candidates.length, "record")} could be its result: ${candidates.join(", ")}`,
        { candidates: [...candidates] },
      );
    if (
      serviceId !== undefined &&
      !decided &&
      (await found.settle(claim, stream, serviceId, { rule }, projection, signal)) === "bound"
    ) {
      this.#looks.end(claim.id);
      keys.release(claim.id);
      await proof.found(stream);
      return true;
    }
    if (!isLast) {
      await store.noteCreate(claim, "notFound");
      throw new WaitError("E_CREATE_UNSETTLED", `${whatIsKnown(intent)}; the service does not show its record yet`, {
        afterMs: this.#looks.nextMs(claim.id),
      });
    }
    await this.#expectAbsent(claim.id, intent, stream, signal);
    await this.#abandon(claim);
    return false;
  }

  async #abandon(claim: Claim): Promise<void> {
    await this.#deps.store.noteCreate(claim, "absent");
    this.#looks.end(claim.id);
    this.#deps.keys.release(claim.id);
  }

  /**
   * Expects that the record is absent, after its natural key was not found. That alone proves nothing if the service stores the key
   * differently from what was sent, or has said that it carried out the create.
   * @throws {UncertainError} when the service may hold the record under another spelling, or holds it without showing it.
   */
  async #expectAbsent(id: RecordId, intent: Intent, stream: Stream, signal: AbortSignal): Promise<void> {
    const { resource, projection, answered } = intent;
    const known = whatIsKnown(intent);
    const near = await this.#deps.matcher.findNear(stream, projection, id);
    const candidates: ServiceId[] = [];
    for (const serviceId of near)
      if (await this.#deps.presence.read(resource, serviceId, ["id"], signal)) candidates.push(serviceId);
    if (candidates.length > 0)
      throw new UncertainError(`${known}; its natural key exists in another spelling: ${candidates.join(", ")}`, {
        candidates,
      });
    if (answered) throw new UncertainError(`${known}; its lists still do not show a record with this natural key`);
    for (const field of new Set(stream.match.flatMap(({ fields }) => fields)))
      if (await this.#isRespelled(stream, field, signal))
        throw new UncertainError(
          `${known}; the service does not keep ${field} as it is sent, so the record cannot be looked for by it`,
          { field },
        );
  }

  /** Whether the record whose answer once showed another value of the field still shows another one. One odd answer is not enough. */
  async #isRespelled({ name, resource }: Stream, field: string, signal: AbortSignal): Promise<boolean> {
    const { store, presence } = this.#deps;
    const noted = await store.note(respelledNote(name, field));
    if (!noted) return false;
    const { serviceId } = noted;
    const owner = await store.boundTo({ resource, serviceId });
    const sent = owner && (await store.record(owner))?.applied?.[field];
    const record = sent === undefined ? undefined : await presence.read(resource, serviceId, [field], signal);
    if (record && !sameValue(sent, record[field])) return true;
    await store.replaceNote(respelledNote(name, field), noted, undefined);
    return false;
  }
}

function whatIsKnown({ resource, answered }: Intent): string {
  return answered
    ? `the service carried out the create of a ${resource} and did not return its id`
    : `a create of ${resource} was started, and its result is unknown`;
}

/** The result of a create cannot be known: a person has to decide. */
export class UncertainError extends ParkError {
  constructor(message: string, details: Record<string, Json> = {}) {
    super("E_CREATE_UNCERTAIN", message, { details });
  }
}

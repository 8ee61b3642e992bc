import { ParkError, type SyncError } from "#model";
import type { Stream } from "#mapping";
import type { BoundClaim, DeliveryStore, NoteStore, RecordStore, UnboundClaim } from "#store";
import type { ExpectAct } from "../approve/approved.ts";
import { decideOther, decideUnbound } from "../decide/decide.ts";
import { unbound } from "../decide/preconditions.ts";
import type { LiveKnowledge } from "./live-knowledge.ts";
import type { Next } from "./performed.ts";
import { forgetMerges } from "../counterpart/merges.ts";
import type { FoundRecords } from "../counterpart/found-records.ts";
import type { Matcher } from "../match/matcher.ts";
import type { Presence } from "../counterpart/presence.ts";
import type { Remover } from "./delete/removal.ts";
import type { Wanted } from "../wanted/resolver.ts";

export interface ReplacementDeps {
  readonly store: DeliveryStore & RecordStore & NoteStore;
  readonly matcher: Matcher;
  readonly presence: Presence;
  readonly found: FoundRecords;
  readonly remover: Remover;
  /** Before a record is unbound: what follows is a create or an adoption. */
  readonly expect: ExpectAct;
}

/** A record whose counterpart cannot be written, and why. */
export interface LostCounterpart {
  readonly claim: BoundClaim;
  readonly stream: Stream;
  readonly wanted: Wanted;
  readonly knowledge: LiveKnowledge;
  readonly thrown: SyncError;
}

/** Decides what to do when a counterpart can no longer be written: it is gone, or its path places it below another parent. */
export class Replacement {
  readonly #deps: ReplacementDeps;

  constructor(deps: ReplacementDeps) {
    this.#deps = deps;
  }

  /**
   * Makes room for another counterpart, as far as its stream allows it. Returns the unbound claim, and the decision about it.
   * @throws `thrown`, when it is neither E_RECORD_GONE nor E_PARENT_CHANGED, or when a person has to decide.
   */
  async replace(lost: LostCounterpart, signal: AbortSignal): Promise<Next> {
    if (lost.thrown.code === "E_RECORD_GONE") return this.#gone(lost, signal);
    if (lost.thrown.code === "E_PARENT_CHANGED") return this.#moved(lost, signal);
    throw lost.thrown;
  }

  /**
   * Adopts an unbound record with the same natural key, if there is one: people merge and recreate records, and a restored store
   * knows only the previous one. Otherwise recreates the record or parks it for a person, as the stream is configured. A stream
   * that creates none leaves it out: nothing exists that it could update.
   */
  async #gone(lost: LostCounterpart, signal: AbortSignal): Promise<Next> {
    const { claim, stream, wanted, thrown } = lost;
    const { presence } = this.#deps;
    const { resource, serviceId } = claim.binding;
    await presence.expectGone(claim.binding, signal, thrown);
    const gone = new ParkError("E_RECORD_GONE", `${resource} ${serviceId} no longer exists in the service`, {
      cause: thrown,
      details: { resource, serviceId },
    });
    if (stream.gone === "recreate" || stream.create === "never")
      return decidedAgain(await this.#unbind(claim), lost, signal);
    if (!(await this.#hasOther(lost, signal))) throw gone;
    const free = await this.#unbind(claim);
    const decide = async () => {
      const other = await decideOther(free, stream, wanted, lost.knowledge, signal);
      if (!other) throw gone;
      return other;
    };
    return { claim: free, decide };
  }

  /**
   * Creates the record below its new parent if it was deleted in the service meanwhile. If it still exists, it is deleted and
   * created there only if the stream allows it.
   */
  async #moved(lost: LostCounterpart, signal: AbortSignal): Promise<Next> {
    const { claim, stream, thrown } = lost;
    const { presence, remover, store } = this.#deps;
    const { resource, serviceId } = claim.binding;
    if ((await presence.read(resource, serviceId, ["id"], signal)) === undefined)
      return decidedAgain(await this.#unbind(claim), lost, signal);
    if (stream.moved === "park") throw thrown;
    if ((await store.children(claim.id, "bound")).length > 0) throw thrown;
    return decidedAgain(await remover.end(claim, signal), lost, signal);
  }

  async #hasOther({ claim, stream, wanted }: LostCounterpart, signal: AbortSignal): Promise<boolean> {
    const { matcher, found } = this.#deps;
    if (stream.match.length === 0) return false;
    const { projection } = wanted;
    const { free, rule } = await matcher.find(stream, projection, claim.id, signal);
    const others = free.filter((each) => each !== claim.binding.serviceId);
    return (await found.present(stream.resource, { free: others, rule }, projection, signal, 1)).length > 0;
  }

  async #unbind(claim: BoundClaim): Promise<UnboundClaim> {
    const { resource, serviceId } = claim.binding;
    this.#deps.expect(claim, { kind: "create" });
    // What refers to the record would be sent with the id of the one that is gone.
    await forgetMerges(this.#deps.store, claim.id, resource);
    await this.#deps.store.unbind(claim, {
      action: "delete",
      resource,
      serviceId,
      before: { ...claim.applied },
      outcome: "was gone",
    });
    return unbound(claim);
  }
}

function decidedAgain(
  claim: UnboundClaim,
  { stream, wanted, knowledge }: Pick<LostCounterpart, "stream" | "wanted" | "knowledge">,
  signal: AbortSignal,
): Next {
  return { claim, decide: () => decideUnbound(claim, stream, wanted, knowledge, signal) };
}

import type { Stream } from "#mapping";
import { ParkError, SyncError, type Outcome, type Projection } from "#model";
import type { BoundClaim, Claim, Store } from "#store";
import type { Action } from "../decide/action.ts";
import { decide, decideUnbound } from "../decide/decide.ts";
import { provesAbsent } from "../decide/deletion.ts";
import type { FoundRecords } from "../counterpart/found-records.ts";
import type { Matcher } from "../match/matcher.ts";
import type { Creator } from "./create/create.ts";
import type { Remover } from "./delete/removal.ts";
import type { Edited } from "../wanted/difference.ts";
import type { DroppedFields } from "./update/dropped-fields.ts";
import type { EmptyFields } from "./update/empty-fields.ts";
import type { LiveKnowledge } from "./live-knowledge.ts";
import { fieldDropped, withoutLost } from "./update/lost-fields.ts";
import type { MergedTickets } from "./update/merged-tickets.ts";
import type { Replacement } from "./replacement.ts";
import type { Wanted } from "../wanted/resolver.ts";
import type { CreateSettlement } from "./create/settlement.ts";
import type { Performed } from "./performed.ts";
import { updateEntry, type Updates } from "./update/updates.ts";

export interface PerformerDeps {
  readonly store: Store;
  readonly matcher: Matcher;
  readonly settlement: CreateSettlement;
  readonly creator: Creator;
  readonly remover: Remover;
  readonly replacement: Replacement;
  readonly updates: Updates;
  readonly emptyFields: EmptyFields;
  readonly dropped: DroppedFields;
  readonly merged: MergedTickets;
  readonly found: FoundRecords;
}

type Of<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;

/** What a delivery works on. */
export interface Job {
  readonly claim: Claim;
  readonly stream: Stream;
  readonly knowledge: LiveKnowledge;
  readonly signal: AbortSignal;
}

/** Carries out what was decided. Only here a delivery writes to the service; each step is stored before the next begins. */
export class Performer {
  readonly #deps: PerformerDeps;

  constructor(deps: PerformerDeps) {
    this.#deps = deps;
  }

  async perform(action: Action, job: Job): Promise<Performed> {
    const { store, creator } = this.#deps;
    const { claim, stream, signal } = job;
    switch (action.kind) {
      case "settle":
        return this.#settle(action, job);
      case "skip":
        await store.end(claim, { kind: "skip", reason: action.reason, code: action.code });
        return "skipped";
      case "adopt":
        return this.#adopt(action, job);
      case "create":
        await creator.create(claim, stream, action.wanted, signal);
        return "created";
      case "leave":
        await store.end(claim, { kind: "remove", unbind: false });
        return "deleted";
      case "delete":
      case "endMerged":
      case "setFields":
      case "rebindDeleted":
        return this.#remove(action, bound(claim), job);
      case "finishDeletion":
      case "rebind":
      case "compare":
      case "update":
      case "unchanged":
      case "gone":
        return this.#write(action, bound(claim), job);
    }
  }

  async #settle({ intent }: Of<"settle">, { claim, stream, knowledge, signal }: Job): Promise<Performed> {
    if (await this.#deps.settlement.settle(claim, intent, stream, signal)) return "created";
    const settled = { ...claim, intent: undefined };
    return { claim: settled, decide: () => decide(settled, stream, knowledge, signal) };
  }

  async #adopt(action: Of<"adopt">, { claim, stream, knowledge, signal }: Job): Promise<Performed> {
    const { creator, store } = this.#deps;
    try {
      const end = await creator.adopt(claim, stream, action, signal);
      if (end !== "bound") {
        knowledge.retract(action.found, end);
        return "again";
      }
    } catch (thrown) {
      knowledge.release();
      if (!action.deletion || !provesAbsent(thrown)) throw thrown;
      await store.end(claim, { kind: "remove", unbind: false });
      return "deleted";
    }
    knowledge.release();
    return "adopted";
  }

  async #remove(
    action: Of<"delete" | "endMerged" | "setFields" | "rebindDeleted">,
    claim: BoundClaim,
    { stream, signal }: Job,
  ): Promise<Outcome> {
    const { remover } = this.#deps;
    switch (action.kind) {
      case "delete":
        await remover.delete(claim, signal);
        return "deleted";
      case "endMerged":
        await remover.endMerged(claim, action.to, signal);
        return "deleted";
      case "setFields":
        return remover.setFields(claim, stream, action, signal);
      case "rebindDeleted":
        return remover.follow(claim, stream, action.deletion, action.to, signal);
    }
  }

  async #write(
    action: Of<"finishDeletion" | "rebind" | "compare" | "update" | "unchanged" | "gone">,
    claim: BoundClaim,
    job: Job,
  ): Promise<Performed> {
    const { remover, replacement } = this.#deps;
    const { stream, knowledge, signal } = job;
    const { wanted } = action;
    remover.forget(claim);
    if (action.kind === "finishDeletion") {
      const ended = await remover.end(claim, signal);
      return { claim: ended, decide: () => decideUnbound(ended, stream, wanted, knowledge, signal) };
    }
    try {
      return await this.#update(action, claim, job);
    } catch (thrown) {
      if (!(thrown instanceof SyncError)) throw thrown;
      return await replacement.replace({ claim, stream, wanted, knowledge, thrown }, signal);
    }
  }

  async #update(
    action: Of<"rebind" | "compare" | "update" | "unchanged" | "gone">,
    claim: BoundClaim,
    { stream, signal }: Job,
  ): Promise<Outcome> {
    const { merged, emptyFields, found } = this.#deps;
    const { wanted } = action;
    const { resource, serviceId } = claim.binding;
    switch (action.kind) {
      case "rebind":
        await merged.follow(claim, stream, wanted, action.to, signal);
        return "adopted";
      case "gone":
        throw isGone(claim);
      case "compare": {
        // What it holds counts as last written, so that only differences are sent.
        const held = await found.held(resource, serviceId, wanted, signal);
        const edited = held && (await emptyFields.edited(claim, held, wanted, signal));
        if (!edited) throw isGone(claim);
        return this.#send(edited, claim, stream, wanted, signal);
      }
      case "update":
      case "unchanged":
        return this.#send(action.edited, claim, stream, wanted, signal);
    }
  }

  async #send(
    { projection, change }: Edited,
    claim: BoundClaim,
    stream: Stream,
    wanted: Wanted,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { store, updates, merged, dropped } = this.#deps;
    if (!change) {
      await store.end(claim, { kind: "apply", applied: { projection, outcome: "unchanged", parents: wanted.parents } });
      return "unchanged";
    }
    const written = await updates.send(claim, claim.binding.resource, change, signal);
    if (written.mergedTo !== undefined) {
      await merged.follow(claim, stream, wanted, written.mergedTo, signal);
      return "adopted";
    }
    // Before the delivery ends: a crash after it would lose this information.
    const { lost, after } = await dropped.settle(stream, wanted, written, change, signal);
    if (lost.length > 0 && Object.keys(after).length === 0) {
      await store.markInFlight(claim, undefined);
      throw fieldDropped(claim.binding.resource, claim.binding.serviceId, lost);
    }
    const held = withoutLost(projection, lost);
    await store.end(claim, {
      kind: "apply",
      applied: {
        projection: held,
        outcome: "updated",
        parents: wanted.parents,
        keys: this.#changedKeys(stream, change.after, held),
        // A lost field is sent once more, alone, to find out whether it is lost for good.
        again: lost.length > 0,
        audit: updateEntry(claim.binding, written, { after }, "updated"),
      },
    });
    return "updated";
  }

  #changedKeys(stream: Stream, after: Projection, held: Projection): ReturnType<Matcher["keys"]> | undefined {
    const isRekeyed = stream.match.some(({ fields }) => fields.some((field) => field in after));
    return isRekeyed ? this.#deps.matcher.keys(stream, held) : undefined;
  }
}

function isGone({ binding: { resource, serviceId } }: BoundClaim): ParkError {
  return new ParkError("E_RECORD_GONE", `the service does not have ${resource} ${serviceId}`);
}

/** Only a bound record is decided to be written or removed. */
function bound(claim: Claim): BoundClaim {
  if (claim.binding) return claim;
  throw new TypeError("a record that is not bound was to be written");
}

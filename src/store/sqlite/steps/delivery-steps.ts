import type { Binding, ErrorFacts, RecordId } from "#model";
import type { Applied, AuditEntry, Claim, Parents, Waiting } from "../../claim.ts";
import { vanished } from "./journal.ts";
import { leftOut, refused, type LeftOutCode } from "../../refusals.ts";
import type { Store } from "../../contract/index.ts";
import type { Tables } from "../tables.ts";

/** The steps that end a claim. */
export class DeliverySteps {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  bind(claim: Claim, binding: Binding, applied: Applied): RecordId[] {
    const { bindings, claims, family, intents } = this.#tables;
    const held = claims.hold(claim);
    const moved = bindings.save(held.id, claim.id, binding);
    if (held.begun === 1) intents.end(held.id);
    const { former, isLast } = this.#write(held.id, { ...claim, binding }, applied);
    // A record that the ERP deleted was bound only so that its deletion can be carried out, which comes next.
    const followedBy = isLast && held.deleted === 0 ? undefined : "change";
    this.#tables.endings.end(held, "apply", { attempts: 0, answered: true, followedBy });
    family.childDeleted(former);
    return family.wakeDependents(claim.id, moved);
  }

  apply(claim: Claim, applied: Applied): void {
    const { claims, endings, family } = this.#tables;
    const held = claims.hold(claim);
    if (held.bound === 0) throw refused(claim, "is not bound and cannot be applied");
    if (held.begun === 1) throw refused(claim, "has an open create and cannot be applied");
    const { former, isLast } = this.#write(held.id, claim, applied);
    endings.end(held, "apply", { attempts: 0, answered: true, followedBy: isLast ? undefined : "change" });
    family.childDeleted(former);
  }

  /**
   * Stores what was written. Returns the parents whose ids the record carried before, and whether the record is done. It is not done if the
   * caller says so, or if a parent's service id has changed.
   */
  #write(record: number, claim: Claim, applied: Applied): { former: readonly RecordId[]; isLast: boolean } {
    const { audit, deletions, family, matches, written } = this.#tables;
    written.apply(record, applied.projection, claim.sequence);
    if (claim.binding && applied.keys) {
      const { resource, serviceId } = claim.binding;
      matches.save(resource, [{ serviceId, keys: applied.keys }]);
    }
    // If the ERP deleted the record, its deletion is still to be carried out.
    if (!claim.deleted) deletions.forget(record);
    const { former, isOutdated } = family.setParents(record, applied.parents);
    audit.add(claim.id, applied.audit);
    return { former, isLast: applied.again !== true && !isOutdated };
  }

  retry(claim: Claim, error: ErrorFacts, dueAt: number, audit: AuditEntry | undefined): void {
    const held = this.#tables.claims.hold(claim);
    this.#tables.audit.add(claim.id, audit);
    this.#tables.endings.end(held, "retry", { attempts: held.attempts + 1, error, dueAt });
  }

  wait(claim: Claim, { error, parents = [], optional = [], dueAt }: Waiting): void {
    const { claims, endings, family } = this.#tables;
    const held = claims.hold(claim);
    const isOver = family.setWaits(held.id, parents) || family.isGivenUp(optional);
    endings.end(held, "wait", {
      attempts: held.attempts,
      error,
      dueAt,
      followedBy: isOver ? "parentBound" : undefined,
    });
  }

  park(claim: Claim, error: ErrorFacts, { audit, parents = [] }: { audit?: AuditEntry; parents?: Parents } = {}): void {
    const held = this.#tables.claims.hold(claim);
    this.#tables.audit.add(claim.id, audit);
    this.#tables.family.addParents(held.id, parents);
    this.#tables.endings.end(held, "park", { attempts: held.attempts, error });
  }

  uncertain(claim: Claim, error: ErrorFacts): void {
    const held = this.#tables.claims.hold(claim);
    if (held.begun === 0) throw refused(claim, "has no open create that could be uncertain");
    this.#tables.endings.end(held, "markUncertain", { attempts: held.attempts, error });
  }

  skip(claim: Claim, reason: string, code?: LeftOutCode): void {
    const held = this.#tables.claims.hold(claim);
    this.#tables.deletions.forget(held.id);
    this.#tables.endings.end(held, "skip", { attempts: 0, error: leftOut(reason, code), answered: true });
    this.#tables.family.wakeDependents(claim.id, false);
  }

  remove(claim: Claim, removal: Parameters<Store["remove"]>[1]): void {
    const { audit, claims, deletions, endings, family, written } = this.#tables;
    const held = claims.hold(claim);
    deletions.done(held.id);
    const former = removal.unbind ? vanished(this.#tables, held.id) : family.parentsOf(held.id);
    if (!removal.unbind && removal.applied !== undefined)
      written.apply(held.id, removal.applied, claim.sequence, removal.inFlight);
    audit.add(claim.id, removal.audit);
    endings.end(held, "remove", { attempts: 0, answered: true });
    family.childDeleted(former);
    family.wakeDependents(claim.id, false);
  }

  release(claim: Claim, now: number): void {
    const held = this.#tables.claims.hold(claim);
    this.#tables.endings.end(held, "release", { attempts: held.attempts, dueAt: now });
  }
}

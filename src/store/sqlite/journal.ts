import { ParkError, recordLabel, type Projection, type ResourceName } from "#model";
import type { AuditEntry, Claim } from "../claim.ts";
import type { Tables } from "./tables.ts";

/** Steps that leave the claim where it is: what is written down before and after a request to the service. */
export class Journal {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  begin(claim: Claim, intent: { resource: ResourceName; projection: Projection }): void {
    const { id, bound, begun } = this.#tables.claims.hold(claim);
    if (bound === 1) throw refused(claim, "is bound and cannot begin a create");
    if (begun === 1) throw refused(claim, "has an open create and cannot begin another");
    this.#tables.intents.open(id, intent);
  }

  abandon(claim: Claim): void {
    const { claims, intents } = this.#tables;
    if (!intents.end(claims.hold(claim).id)) throw refused(claim, "has no open create to abandon");
  }

  looked(claim: Claim): void {
    const { claims, intents } = this.#tables;
    if (!intents.looked(claims.hold(claim).id)) throw refused(claim, "has no open create to look for");
  }

  doubt(claim: Claim, doubts: Projection): void {
    const { id, bound } = this.#tables.claims.hold(claim);
    if (bound === 0) throw refused(claim, "is not bound and cannot be updated");
    this.#tables.written.doubt(id, doubts);
  }

  unbind(claim: Claim, entry: AuditEntry): void {
    const { audit, bindings, claims, family, written } = this.#tables;
    const { id, bound } = claims.hold(claim);
    if (bound === 0) throw refused(claim, "is not bound and cannot be unbound");
    bindings.end(id);
    written.forget(id);
    family.childLeft(family.setParents(id, []).former);
    audit.add(claim.id, entry);
  }
}

/** A step that this record's story does not allow: a defect of the program. */
export function refused(claim: Claim, why: string): ParkError {
  return new ParkError("E_STORE_STATE", `${recordLabel(claim.id)} ${why}`);
}

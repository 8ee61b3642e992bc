import type { Projection, RecordId, ResourceName } from "#model";
import type { AuditEntry, Claim, InFlight } from "../../claim.ts";
import { refused } from "../../refusals.ts";
import type { Tables } from "../tables.ts";

/** Steps that keep the claim: what is journalled before and after a request to the service. */
export class Journal {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  begin(claim: Claim, intent: { resource: ResourceName; projection: Projection }): number {
    const { id, bound, begun } = this.#tables.claims.hold(claim);
    if (bound === 1) throw refused(claim, "is bound and cannot begin a create");
    if (begun === 1) throw refused(claim, "has an open create and cannot begin another");
    this.#tables.intents.open(id, intent);
    return this.#tables.creates.add();
  }

  abandon(claim: Claim): void {
    const { claims, intents } = this.#tables;
    if (!intents.end(claims.hold(claim).id)) throw refused(claim, "has no open create to abandon");
  }

  answered(claim: Claim): void {
    const { claims, intents } = this.#tables;
    if (!intents.answered(claims.hold(claim).id)) throw refused(claim, "has no open create that was answered");
  }

  looked(claim: Claim): void {
    const { claims, intents } = this.#tables;
    if (!intents.looked(claims.hold(claim).id)) throw refused(claim, "has no open create to look for");
  }

  markInFlight(claim: Claim, inFlight: InFlight | undefined): number {
    const { id, bound } = this.#tables.claims.hold(claim);
    if (bound === 0) throw refused(claim, "is not bound and cannot be updated");
    this.#tables.written.markInFlight(id, inFlight ?? { kind: "update", fields: {} });
    return this.#tables.writes.add();
  }

  unbind(claim: Claim, entry: AuditEntry): void {
    const { audit, claims, family } = this.#tables;
    const { id, bound } = claims.hold(claim);
    if (bound === 0) throw refused(claim, "is not bound and cannot be unbound");
    family.childDeleted(vanished(this.#tables, id));
    audit.add(claim.id, entry);
  }
}

/** Ends the binding of a record that the service no longer has. Returns the parents whose ids it carried. */
export function vanished(tables: Tables, record: number): readonly RecordId[] {
  const binding = tables.bindings.of(record);
  if (binding) tables.matches.forget(binding);
  return letGo(tables, record);
}

/** Ends the record's binding and forgets what was written. Returns the parents whose ids it carried. */
export function letGo({ bindings, family, written }: Tables, record: number): readonly RecordId[] {
  bindings.end(record);
  written.forget(record);
  return family.setParents(record, []).former;
}

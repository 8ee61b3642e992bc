import { recordLabel, recordName, type RecordId, type ServiceId, type StreamName } from "#model";
import type { Claim } from "#store";
import type { Verdict } from "../plan/planned-delivery.ts";

/** What a delivery is about to write, or to bind. */
export type WriteAct =
  | { readonly kind: "create" }
  | { readonly kind: "adopt"; readonly serviceId: ServiceId }
  | { readonly kind: "update"; readonly serviceId: ServiceId; readonly fields: readonly string[] }
  | { readonly kind: "delete"; readonly serviceId: ServiceId };

/** Throws {@link NotApprovedError} unless the delivery may do this. Called before anything is journalled. */
export type ExpectAct = (claim: Pick<Claim, "id" | "sequence">, act: WriteAct) => void;

/** What a plan said about a record, for the row with this sequence. */
export interface Approval {
  readonly verdict: Verdict;
  readonly serviceId: ServiceId | undefined;
  /** The fields that may be written. */
  readonly fields: readonly string[];
  readonly sequence: number;
}

/** The delivery would write something else than was approved. The record is left as it is. */
export class NotApprovedError extends Error {}

/** Lets a delivery write what it decides. */
export const anyAct: ExpectAct = () => undefined;

/** The acts that each verdict covers; a create is followed by an update where the service lost a field or the record refers to itself. */
const covered: Readonly<Record<Verdict, ReadonlySet<WriteAct["kind"]>>> = {
  create: new Set(["create", "update"]),
  adopt: new Set(["adopt", "update"]),
  update: new Set(["update"]),
  delete: new Set(["adopt", "update", "delete"]),
  settle: new Set(),
  park: new Set(),
  wait: new Set(),
  skip: new Set(),
  unchanged: new Set(),
};

/**
 * Limits deliveries to what a person approved: only these records, and of each only what its plan says. It lets nothing through before
 * {@link open}.
 */
export class Approved {
  readonly #approvals = new Map<string, Approval>();
  /** The streams that have approved records. */
  readonly streams = new Set<StreamName>();
  /** Plans write few different sets of fields. */
  readonly #fieldSets = new Map<string, readonly string[]>();
  readonly #left = new Map<string, { readonly id: RecordId; readonly why: string }>();
  #isOpen = false;

  add(id: RecordId, { fields, ...approval }: Approval): void {
    const name = fields.join("\n");
    const shared = this.#fieldSets.get(name) ?? fields;
    this.#fieldSets.set(name, shared);
    this.streams.add(id.stream);
    this.#approvals.set(recordName(id), { ...approval, fields: shared });
  }

  /** Lets the approved records through. */
  open(): void {
    this.#isOpen = true;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** What the plan says about the record; undefined if it is not in the plan. */
  verdictOf(id: RecordId): Verdict | undefined {
    return this.#approvals.get(recordName(id))?.verdict;
  }

  mayDeliver(id: RecordId): boolean {
    const name = recordName(id);
    return this.#isOpen && this.#approvals.has(name) && !this.#left.has(name);
  }

  /** Records that were left as they are, because their delivery would have written something else. */
  get left(): readonly { readonly id: RecordId; readonly why: string }[] {
    return [...this.#left.values()];
  }

  readonly expect: ExpectAct = ({ id, sequence }, act) => {
    const name = recordName(id);
    const why = whyNot(this.#approvals.get(name), sequence, act);
    if (why === undefined) return;
    this.#left.set(name, { id, why });
    throw new NotApprovedError(`${recordLabel(id)}: ${why}`);
  };
}

function whyNot(approval: Approval | undefined, sequence: number, act: WriteAct): string | undefined {
  if (!approval) return "it is not in the plan";
  const { verdict, serviceId, fields } = approval;
  if (sequence !== approval.sequence) return "its row changed in the ERP after the plan was compared";
  if (!covered[verdict].has(act.kind)) return `the plan says ${verdict}, and the delivery would ${act.kind}`;
  if (act.kind === "create") return undefined;
  if (serviceId !== undefined && act.serviceId !== serviceId)
    return `the plan says ${verdict} ${serviceId}, and the delivery would ${act.kind} ${act.serviceId}`;
  const more = act.kind === "update" ? act.fields.filter((field) => !fields.includes(field)) : [];
  return more.length === 0 ? undefined : `the delivery would also write ${more.join(", ")}`;
}

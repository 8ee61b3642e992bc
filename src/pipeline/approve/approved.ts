import { recordLabel, recordName, type RecordId, type ServiceId, type StreamName } from "#model";
import type { Claim } from "#store";
import type { Verdict } from "./verdict.ts";

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
  /** The service record that may be bound and written; undefined where only the run knows it. */
  readonly serviceId: ServiceId | undefined;
  /** The service record whose deletion was begun, and may be finished. */
  readonly deletes?: ServiceId | undefined;
  /** The fields that an update may write. What a create writes follows from the row. */
  readonly fields: readonly string[];
  readonly sequence: number;
}

/** The delivery would write or bind something else than was approved. It ends before it does so. */
export class NotApprovedError extends Error {}

/** Lets a delivery write what it decides. */
export const anyAct: ExpectAct = () => undefined;

/**
 * The acts that each verdict covers. A create is followed by an update where the service lost a field or the record refers to itself. The
 * deletion of a record that is not bound binds what it found first. What was found out about a begun create is bound without an act.
 */
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
 * Limits deliveries to what a person approved: only these records, with the rows that were compared, and of each only the writes and
 * bindings that its plan says. Nothing may be delivered or written before {@link open}.
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

  /** Records that were left for the next plan, because their delivery would have written or bound something else. */
  get left(): readonly { readonly id: RecordId; readonly why: string }[] {
    return [...this.#left.values()];
  }

  readonly expect: ExpectAct = ({ id, sequence }, act) => {
    if (!this.#isOpen) throw new NotApprovedError(`${recordLabel(id)}: the plan is not open yet`);
    const name = recordName(id);
    const why = whyNot(this.#approvals.get(name), sequence, act);
    if (why === undefined) return;
    this.#left.set(name, { id, why });
    throw new NotApprovedError(`${recordLabel(id)}: ${why}`);
  };
}

function whyNot(approval: Approval | undefined, sequence: number, act: WriteAct): string | undefined {
  if (!approval) return "it is not in the plan";
  const { verdict, serviceId, deletes, fields } = approval;
  if (sequence !== approval.sequence) return "its row changed in the ERP after the plan was compared";
  if (act.kind === "delete" && act.serviceId === deletes) return undefined;
  if (!covered[verdict].has(act.kind)) return `the plan says ${verdict}, and the delivery would ${act.kind}`;
  if (act.kind === "create") return undefined;
  if (serviceId !== undefined && act.serviceId !== serviceId)
    return `the plan says ${verdict} ${serviceId}, and the delivery would ${act.kind} ${act.serviceId}`;
  const more = act.kind === "update" ? act.fields.filter((field) => !fields.includes(field)) : [];
  return more.length === 0 ? undefined : `the delivery would also write ${more.join(", ")}`;
}

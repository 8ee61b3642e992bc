import { recordName, type RecordId, type RecordState } from "#model";

/** One record as the promises say it must be; written without a look at the implementation. */
export interface ModelRecord {
  readonly id: RecordId;
  version: number;
  deleted: boolean;
  /** What the ERP last said, to tell real changes from re-reads. */
  said: string;
  sequence: number;
  state: RecordState;
  attempts: number;
  dueAt: number | undefined;
  changedAt: number;
  backfill: boolean;
  again: boolean;
  claim: number | undefined;
  error: string | undefined;
  serviceId: number | undefined;
  looks: number | undefined;
  answered: boolean;
  applied: number | undefined;
  appliedSequence: number | undefined;
  doubts: number | undefined;
  decision: boolean;
  parents: RecordId[];
  waits: RecordId[];
}

/** What a step needs to know about the claim that it is taken with. */
export interface ModelClaim {
  readonly number: number;
  readonly id: RecordId;
  readonly sequence: number;
}

export class StoreModel {
  readonly records = new Map<string, ModelRecord>();
  readonly #sequences = new Map<string, number>();
  #claims = 0;
  now: number;

  constructor(now: number) {
    this.now = now;
  }

  get(id: RecordId): ModelRecord | undefined {
    return this.records.get(recordName(id));
  }

  all(stream?: string): ModelRecord[] {
    return [...this.records.values()].filter((record) => stream === undefined || record.id.stream === stream);
  }

  stage(id: RecordId, said: "deleted" | number, backfill: boolean): void {
    const record = this.get(id);
    if (record === undefined ? said === "deleted" : record.said === String(said)) return;
    const sequence = (this.#sequences.get(id.stream) ?? 0) + 1;
    this.#sequences.set(id.stream, sequence);
    const known = record ?? this.#unknown(id, backfill);
    known.sequence = sequence;
    known.changedAt = this.now;
    known.said = String(said);
    known.deleted = said === "deleted";
    if (said !== "deleted") known.version = said;
    const pending = known.state === "due" || known.state === "claimed";
    known.backfill = pending ? known.backfill && backfill : backfill;
    this.#dueNow(known);
  }

  #unknown(id: RecordId, backfill: boolean): ModelRecord {
    const record: ModelRecord = {
      id,
      version: 0,
      deleted: false,
      said: "",
      sequence: 0,
      state: "due",
      attempts: 0,
      dueAt: this.now,
      changedAt: this.now,
      backfill,
      again: false,
      claim: undefined,
      error: undefined,
      serviceId: undefined,
      looks: undefined,
      answered: false,
      applied: undefined,
      appliedSequence: undefined,
      doubts: undefined,
      decision: false,
      parents: [],
      waits: [],
    };
    this.records.set(recordName(id), record);
    return record;
  }

  /** Due without attempts and error: at once, or when the worker that has it is done. */
  #dueNow(record: ModelRecord): void {
    record.attempts = 0;
    record.error = undefined;
    if (record.state === "claimed") record.again = true;
    else {
      record.dueAt = record.state === "due" ? Math.min(record.dueAt!, this.now) : this.now;
      record.state = "due";
    }
  }

  remap(stream: string): void {
    for (const record of this.all(stream)) {
      if (record.state === "deleted") continue;
      if (record.state === "claimed") {
        record.again = true;
        continue;
      }
      if (record.state !== "due") record.backfill = true;
      this.#dueNow(record);
    }
  }

  claim(id: RecordId, leaseMs: number): ModelClaim | undefined {
    const record = this.get(id);
    if (record?.dueAt === undefined || record.dueAt > this.now) return undefined;
    Object.assign(record, { state: "claimed", claim: ++this.#claims, dueAt: this.now + leaseMs, again: false });
    return { number: this.#claims, id, sequence: record.sequence };
  }

  /** The record, unless the claim was lost. */
  held(claim: ModelClaim): ModelRecord | undefined {
    const record = this.get(claim.id)!;
    return record.claim === claim.number ? record : undefined;
  }

  end(record: ModelRecord, state: RecordState, more: Partial<ModelRecord> = {}): void {
    const again = record.again;
    Object.assign(record, { state, dueAt: undefined, error: undefined, claim: undefined, again: false }, more);
    if (again) this.#dueNow(record);
    if (again) record.dueAt = this.now;
  }

  /** Wakes the children that wait for a parent; and, when it moved, the applied and parked ones whose projection carries its old id. */
  parentSettled(parent: RecordId, moved: boolean): void {
    const name = recordName(parent);
    for (const child of this.all()) {
      const waits = child.state === "waiting" && child.waits.some((id) => recordName(id) === name);
      const carries = moved && child.parents.some((id) => recordName(id) === name);
      if (carries && child.state === "claimed") child.again = true;
      if (waits || (carries && ["applied", "parked"].includes(child.state))) {
        Object.assign(child, { state: "due", dueAt: this.now, error: undefined, waits: [] });
      }
    }
  }

  /** Wakes those of a child's former parents that wait and have no bound child left. */
  childLeft(parents: readonly RecordId[]): void {
    for (const id of parents) {
      const parent = this.get(id);
      if (parent === undefined || this.#hasBoundChild(id)) continue;
      if (parent.state === "claimed") parent.again = true;
      if (parent.state === "waiting")
        Object.assign(parent, { state: "due", dueAt: this.now, error: undefined, waits: [] });
    }
  }

  /** No record is its own child. */
  #hasBoundChild(parent: RecordId): boolean {
    const name = recordName(parent);
    return this.all().some(
      ({ id: child, state, serviceId, parents }) =>
        recordName(child) !== name &&
        state !== "deleted" &&
        serviceId !== undefined &&
        parents.some((id) => recordName(id) === name),
    );
  }

  owner(stream: string, serviceId: number): ModelRecord | undefined {
    return this.all(stream).find((record) => record.serviceId === serviceId);
  }

  /** A crash and the next start: nobody holds anything, and what was held is at its place in the line again. */
  restart(): void {
    for (const record of this.all())
      if (record.state === "claimed")
        Object.assign(record, { state: "due", dueAt: record.changedAt, claim: undefined, again: false });
  }

  due(): RecordId[] {
    return this.all()
      .filter((record) => record.dueAt !== undefined && record.dueAt <= this.now)
      .toSorted((a, b) => Number(a.backfill) - Number(b.backfill) || a.dueAt! - b.dueAt! || compare(a.id, b.id))
      .map((record) => record.id);
  }
}

function compare(a: RecordId, b: RecordId): number {
  const [nameA, nameB] = [recordName(a), recordName(b)];
  return nameA < nameB ? -1 : Number(nameA > nameB);
}

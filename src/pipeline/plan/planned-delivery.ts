import {
  recordName,
  type ErrorFacts,
  type Json,
  type Projection,
  type RecordId,
  type RecordState,
  type ServiceId,
} from "#model";

/**
 * What the next run does with a record.
 * `adopt`: binds it to a record of the service that is there, and writes what differs from it.
 * `settle`: asks the service first what became of a create that was begun.
 * `unchanged`: delivers it without a request.
 */
export const VERDICTS = ["create", "adopt", "update", "delete", "settle", "park", "wait", "skip", "unchanged"] as const;

export type Verdict = (typeof VERDICTS)[number];

/** Verdicts after which the service, or what a person has to do, is not what it was. */
export const CHANGES: ReadonlySet<Verdict> = new Set(["create", "adopt", "update", "delete", "settle", "park"]);

/** A field that is written. Ids that only the run will know are told as a `PendingId`. */
export interface PlannedField {
  readonly field: string;
  /** What was last written; undefined where nothing was, or where only the service knows. */
  readonly before?: Json;
  readonly after: Json;
}

export interface PlannedDelivery {
  readonly id: RecordId;
  readonly verdict: Verdict;
  /** The record of the service that it is, or is taken to be. */
  readonly serviceId?: ServiceId | undefined;
  /** What is written: of a create all fields that have a value, of an update those that differ. */
  readonly fields: readonly PlannedField[];
  /** Why it is parked or waits. */
  readonly error?: ErrorFacts | undefined;
  /** What else a person should know about it. */
  readonly reason?: string | undefined;
  /** Something was written for it before. */
  readonly isDelivered: boolean;
}

/** A planned record, and how the run leaves it. */
export interface Fate {
  readonly planned: PlannedDelivery;
  readonly state: RecordState;
  /** What is last written then; undefined where nothing is. */
  readonly applied: Projection | undefined;
  /** It was found in the service, so that others may refer to it by the id of the plan. */
  readonly isBound: boolean;
}

/** What others need to know about a record that is planned: how it ends, and as which record of the service. */
export type KnownFate = Pick<Fate, "state" | "isBound"> & Pick<Fate["planned"], "verdict" | "serviceId" | "error">;

/** Some 10 MB. Of a first load each parent that is forgotten is planned again for its next child. */
const KEPT = 50_000;

/** The fates of records that others refer to, the latest few of them. */
export class KnownFates {
  readonly #fates = new Map<string, KnownFate | undefined>();

  has(id: RecordId): boolean {
    return this.#fates.has(recordName(id));
  }

  get(id: RecordId): KnownFate | undefined {
    return this.#fates.get(recordName(id));
  }

  /** Undefined: the run leaves the record alone. */
  set(id: RecordId, fate: KnownFate | undefined): void {
    if (this.#fates.size >= KEPT) this.#fates.delete(this.#fates.keys().next().value!);
    this.#fates.set(recordName(id), fate);
  }
}

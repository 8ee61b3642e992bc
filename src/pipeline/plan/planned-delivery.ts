import {
  recordName,
  type ErrorFacts,
  type Json,
  type Projection,
  type RecordId,
  type RecordState,
  type ServiceId,
} from "#model";
import type { Verdict } from "../approve/verdict.ts";

/** A field that is written. A `PendingId` stands for an id that only the run will know. */
export interface PlannedField {
  readonly field: string;
  /** What was last written; undefined if nothing was, or if only the service knows. */
  readonly before?: Json | undefined;
  readonly after: Json;
  /** An array of which only our own ids change. */
  readonly isShared?: true | undefined;
}

export interface PlannedDelivery {
  readonly id: RecordId;
  readonly verdict: Verdict;
  /** The service record that it is bound to, or that it matches. */
  readonly serviceId?: ServiceId | undefined;
  /** The service record that is deleted first: its deletion was begun before the ERP showed the record again. */
  readonly deletes?: ServiceId | undefined;
  /** What is written: for a create all fields with a value, for an update those that differ. */
  readonly fields: readonly PlannedField[];
  /** Why it is parked or waits. */
  readonly error?: ErrorFacts | undefined;
  /** What else a person should know about it. */
  readonly reason?: string | undefined;
  /** Whether something was written for the record before. */
  readonly isDelivered: boolean;
  /** It is not delivered before the mass-change guard, or a person, has decided about the round that changed it. */
  readonly isGuarded?: true;
}

/** A planned record, and its state after the run. */
export interface PlannedState {
  readonly planned: PlannedDelivery;
  readonly state: RecordState;
  /** What will count as last written; undefined if nothing is written. */
  readonly applied: Projection | undefined;
  /** Whether the record was found in the service, so that others can refer to it by the id in the plan. */
  readonly isBound: boolean;
}

/** What the plans of other records need to know about a planned record: how it ends, and its service id. */
export type KnownState = Pick<PlannedState, "state" | "isBound"> &
  Pick<PlannedState["planned"], "verdict" | "serviceId" | "error">;

/** How many fates are kept, which takes about 10 MB. In a first load, a forgotten parent is planned again for its next child. */
const KEPT = 50_000;

/** The most recent fates of records that others refer to. */
export class KnownFates {
  readonly #fates = new Map<string, KnownState | undefined>();

  has(id: RecordId): boolean {
    return this.#fates.has(recordName(id));
  }

  get(id: RecordId): KnownState | undefined {
    return this.#fates.get(recordName(id));
  }

  /** `undefined` means that the run leaves the record alone. */
  set(id: RecordId, fate: KnownState | undefined): void {
    if (this.#fates.size >= KEPT) this.#fates.delete(this.#fates.keys().next().value!);
    this.#fates.set(recordName(id), fate);
  }
}

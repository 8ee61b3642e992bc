import type { ErrorCode } from "./error-catalogue/error-catalogue.ts";
import type { Json } from "./json.ts";

/** The result of a successful delivery. */
export type Outcome = "created" | "adopted" | "updated" | "unchanged" | "deleted" | "skipped";

/** A record's id in the service. */
export type ServiceId = number;

/** The name of an endpoint of the service, as section 4.5 of its reference spells it. */
export type ResourceName = string;

/** The fields that svcsync owns in a record of the service, with the values to send. */
export type Projection = { readonly [field: string]: Json };

/** The service record that a record is bound to; unique both ways. */
export interface Binding {
  readonly resource: ResourceName;
  readonly serviceId: ServiceId;
}

/** All states, in the order in which a record usually passes through them. docs/develop/store.md has a drawing with every allowed transition. */
export const RECORD_STATES = [
  "due",
  "claimed",
  "waiting",
  "applied",
  "parked",
  "uncertain",
  "skipped",
  "deleted",
] as const;

/** The state of a record. */
export type RecordState = (typeof RECORD_STATES)[number];

/** One finding of a check, for people: what was checked, whether it is right, and what to do if not. */
export interface Finding {
  readonly subject: string;
  readonly verdict: "ok" | "warning" | "problem";
  readonly message: string;
  /** The error behind a problem. Its remedy is used unless `remedy` is set. */
  readonly code?: ErrorCode;
  readonly remedy?: string;
}

/** Who acts on streams or records, by which means, and for what reason. */
export interface Actor {
  /** A user of the page or of the operating system. */
  readonly name: string;
  readonly via: "cli" | "page" | "api";
  readonly why?: string | undefined;
}

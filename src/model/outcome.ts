import type { ErrorCode } from "./error-catalogue/error-catalogue.ts";
import type { Json } from "./json.ts";

/** How a delivery ended well. */
export type Outcome = "created" | "adopted" | "updated" | "unchanged" | "deleted" | "skipped";

/** A record's id in the service. */
export type ServiceId = number;

/** The name of an endpoint of the service, as section 4.5 of its reference spells it. */
export type ResourceName = string;

/** The fields that svcsync owns in one record of the service, resolved to what is sent: field name to value. */
export type Projection = { readonly [field: string]: Json };

/** Where a record's counterpart is: unique both ways. */
export interface Binding {
  readonly resource: ResourceName;
  readonly serviceId: ServiceId;
}

/** Every state, in the order in which a record usually meets them. docs/develop/store.md has a drawing with every allowed transition. */
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

/** Where a record stands. */
export type RecordState = (typeof RECORD_STATES)[number];

/** One thing that a check found, for a person: what, whether it is right, and what to do if not. */
export interface Finding {
  readonly subject: string;
  readonly verdict: "ok" | "warning" | "problem";
  readonly message: string;
  /** The error behind a problem: its remedy follows from it unless `remedy` knows better. */
  readonly code?: ErrorCode;
  readonly remedy?: string;
}

/** Who does something to streams or records, through what, and the reason that they give. */
export interface Actor {
  /** A user of the page, or of the operating system. */
  readonly name: string;
  readonly via: "cli" | "page" | "api";
  readonly why?: string | undefined;
}

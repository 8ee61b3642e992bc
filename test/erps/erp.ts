import type { JsonObject } from "#model";
import type { Chapter, Deed } from "./chapters.ts";

/** The resources of the service that are compared. */
export const COMPARED = ["customer", "customerLocation", "customerContact", "ticket", "svcDocument"] as const;
export type Compared = (typeof COMPARED)[number];

/** What the service should hold: by the ERP's key, the fields of one record, with names in place of the service's ids. */
export type Records = Readonly<Partial<Record<Compared, ReadonlyMap<string, JsonObject>>>>;

/** A way in which this ERP hides records without moving their stamp. */
export interface Disguise {
  readonly name: string;
  readonly hide: () => Promise<void>;
  readonly show: () => Promise<void>;
}

/** The password of the user that svcsync logs in with. */
export interface Password {
  /** Changes it in the ERP, so that svcsync holds a wrong one. */
  change(): Promise<void>;
  restore(): Promise<void>;
  /** Logins that the ERP has refused since it was started. */
  refused(): Promise<number>;
  /** Whether the ERP takes the right password now. */
  opens(): Promise<boolean>;
}

/** A right of the user that svcsync logs in with: to read all that one stream reads. */
export interface Right {
  readonly stream: string;
  readonly resource: Compared;
  take(): Promise<void>;
  give(): Promise<void>;
}

/**
 * One real ERP that runs, installed by the trial or found at an address, read through its preset. Everything is written by the product's own means, and
 * everything is read past svcsync.
 */
export interface Erp extends AsyncDisposable {
  /** The product with its version. */
  readonly product: string;
  /** The preset's sync file with what a user of this company edits. */
  readonly syncFile: string;
  /** The preset's variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly disguises: readonly Disguise[];
  readonly password: Password;
  readonly right?: Right;
  /**
   * What this ERP can do beyond single records: give contacts another customer, merge two customers, write more records than a page has at
   * one moment.
   */
  readonly deeds?: Readonly<Partial<Record<Deed, () => Promise<void>>>>;
  /** The chapters that cannot be played on it, each with the reason in one sentence. */
  readonly skipped?: Readonly<Partial<Record<Chapter, string>>>;
  /** Writes the records that a first load finds. */
  seed(): Promise<void>;
  /** Adds a record of each kind and changes others; each call writes something else. */
  change(): Promise<void>;
  /** Writes in a transaction that stays open. Resolves when it has written, to what commits it. */
  writeLate(): Promise<() => Promise<void>>;
  /** Deletes records for good. */
  remove(): Promise<void>;
  /** What the ERP shows now to svcsync's user, as the service should have it. */
  records(): Promise<Records>;
  /** What the service should show of a record that the ERP shows no more; all else stays as it was. */
  readonly retired: Partial<Readonly<Record<Compared, JsonObject>>>;
}

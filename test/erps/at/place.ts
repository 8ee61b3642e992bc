import type { Erp } from "../erp.ts";

/** An ERP that is already running, and who may do what there. */
export interface Place {
  readonly url: string;
  /** The preset whose sync file is tried; by default the one for the version that is found. */
  readonly preset?: string;
  readonly database?: string;
  /** The login of the user that svcsync reads with, where the ERP wants one beside the key. */
  readonly user?: string;
  /** The login of the user that writes and deletes the trial's records. */
  readonly writer?: string;
  readonly timezone?: string;
  readonly databaseTimezone?: string;
  /** The secret of the user that svcsync reads with. */
  readonly key: string;
  /** The secret of the writer. */
  readonly writerKey: string;
  /** The database below the ERP, past it: for what its API cannot do. */
  readonly databaseUrl?: string;
}

/** An ERP at an address. */
export interface FoundErp extends Erp {
  /** How many records of other people it holds, at most `limit`. */
  foreign(limit: number): Promise<number>;
}

/** Without the database, nobody can hold a transaction or write past the ERP. */
export const NEEDS_DATABASE =
  "the API holds no transaction open; TRIAL_DATABASE_URL would let the trial do it in the database";

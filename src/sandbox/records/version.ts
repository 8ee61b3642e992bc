import type { Json, ResourceName } from "#model";

/** A stored record. It is immutable: each write makes a new one. Its names are neutral. */
export interface StoredRecord {
  readonly id: number;
  readonly [field: string]: Json;
}

/** What produced a state of a record. `vanish`: another client removed it. */
export type WriteAction = "seed" | "create" | "edit" | "delete" | "vanish";

/** Who wrote it, and with which request. */
export interface WriteOrigin {
  readonly action: WriteAction;
  /** The ledger's number of the request, or undefined for seeds and faults. */
  readonly request?: number | undefined;
  readonly username?: string | undefined;
  readonly sent?: Json | undefined;
  /** Names that were sent but dropped. */
  readonly dropped?: readonly string[] | undefined;
}

/** One state of a record in the write log, linked to the previous state. */
export interface Version extends WriteOrigin {
  /** Position in the write log, from 1. */
  readonly sequence: number;
  readonly at: number;
  readonly resource: ResourceName;
  readonly id: number;
  /** Undefined once the record is gone. */
  readonly record: StoredRecord | undefined;
  readonly previous: Version | undefined;
}

/** The ids in an array field; empty for anything else. */
export function idsOf(value: Json | undefined): number[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === "number") : [];
}

/** The state at an earlier moment; undefined before the record existed. */
export function versionAsOf(version: Version, at: number): Version | undefined {
  let seen: Version | undefined = version;
  while (seen !== undefined && seen.at > at) seen = seen.previous;
  return seen;
}

import type { Clock, JsonObject, ResourceName } from "#model";
import type { Logger } from "#telemetry";
import type { Method } from "./catalogue/resource.ts";
import type { Fault } from "./faults/fault.ts";
import type { Switches } from "./switches.ts";

/** A person, or a program, that may log in. */
export interface Account {
  readonly username: string;
  readonly password: string;
  /** Second factor: a login without it is refused. */
  readonly code?: number;
  /** Methods per resource; `*` stands for every resource not named. Absent: everything is allowed. */
  readonly permissions?: Readonly<Record<ResourceName, readonly Method[]>>;
  /** Of these resources only records with exactly these values exist for this account. */
  readonly sees?: Readonly<Record<ResourceName, JsonObject>>;
}

/** A token made in the settings of the web interface: valid until it is revoked. */
export interface StaticToken {
  readonly token: string;
  readonly username: string;
}

export interface SandboxOptions extends Partial<Switches> {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  readonly controlPort?: number;
  /** Default: one account, {@link DEFAULT_ACCOUNT}. */
  readonly accounts?: readonly Account[];
  /** Default: {@link DEFAULT_TOKEN} for the first account. */
  readonly tokens?: readonly StaticToken[];
  /** Faults from the first request on. */
  readonly faults?: readonly Fault[];
  /** A file that keeps all records across restarts; absent: memory alone. */
  readonly data?: string;
  /** Reference data of a believable tenant, default true. */
  readonly referenceData?: boolean;
  /** How many requests the ledger remembers; writes are all remembered. Default 10,000. */
  readonly ledgerSize?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** The account and the token of a sandbox that was given none: open secrets. */
export const DEFAULT_ACCOUNT: Account = { username: "sync", password: "sandbox" };
export const DEFAULT_TOKEN = "sandbox-token";

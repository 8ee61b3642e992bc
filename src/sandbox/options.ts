import type { Clock } from "#model";
import type { Logger } from "#telemetry";
import type { Account, StaticToken } from "./account.ts";
import type { Fault } from "./faults/fault.ts";
import type { Switches } from "./switches.ts";

export interface SandboxOptions extends Partial<Switches> {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  readonly controlPort?: number;
  /** Default: one account, `DEFAULT_ACCOUNT`. */
  readonly accounts?: readonly Account[];
  /** Default: `DEFAULT_TOKEN` for the first account. */
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

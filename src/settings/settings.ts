import type { Dialect } from "./dialect.ts";
import type { NotifySettings } from "./notify-settings.ts";

/** The service's part of the settings. */
export interface ServiceSettings {
  /** Without a slash at its end and without credentials. */
  readonly url: string;
  readonly login:
    | { readonly kind: "token" }
    | {
        readonly kind: "password";
        readonly username: string;
        /** Negative: the token never expires. */
        readonly lifeTimeMinutes: number;
        readonly lifeTimeRefresh: boolean;
        readonly tokenName: string | undefined;
      };
  readonly dialect: Dialect;
  readonly connectTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** Ceiling of requests at once. */
  readonly concurrency: number;
  readonly responseLimitBytes: number;
  /** Path of a PEM file with the authorities to trust beside the system's. */
  readonly caFile: string | undefined;
  /** From HTTPS_PROXY / HTTP_PROXY / NO_PROXY, without credentials: with them it is `secrets.proxyUrl`. */
  readonly proxy: { readonly url: string; readonly except: readonly string[] } | undefined;
  /** How old cached reference data may be. */
  readonly referenceMaxAgeMs: number;
  /** How old the match index may be before a create consults it. */
  readonly matchMaxAgeMs: number;
}

/** What the environment means beside the service, with defaults filled in. Enough for commands that never call it. */
export interface LocalSettings {
  readonly dataDir: string;
  readonly syncFile: string;
  readonly queue: { readonly kind: "redis" | "postgres" | "private" };
  readonly delivery: {
    readonly leaseMs: number;
    readonly retryBaseMs: number;
    readonly retryMaxMs: number;
    /** After this many failed attempts a record is parked. */
    readonly retryAttempts: number;
    /** How long a search index of the service may lag before an unknown create counts as not done. */
    readonly settleMs: number;
    readonly stopGraceMs: number;
    /** How long the audit keeps its entries. */
    readonly auditKeepDays: number;
  };
  readonly polling: { readonly intervalMs: number; readonly sweepIntervalMs: number; readonly nudgeFloorMs: number };
  /** A sweep that would delete more than either stops and asks. */
  readonly guard: { readonly percent: number; readonly count: number; readonly floor: number };
  /** A changed mapping that would update more than both holds its stream. */
  readonly changeGuard: { readonly percent: number; readonly count: number };
  readonly health: { readonly port: number; readonly host: string; readonly names: readonly string[] };
  /** Who may see the page, beside the token and the users, which are secrets. */
  readonly page: {
    readonly proxy:
      | { readonly header: string; readonly addresses: readonly string[]; readonly role: "read" | "act" }
      | undefined;
    readonly isPublic: boolean;
    readonly probes: "all" | "alive";
  };
  /** What records mean that wait for a parent which will not come. */
  readonly blockedRecords: "note" | "problem";
  readonly notify: NotifySettings;
  /** Where traces are sent; undefined: nowhere. */
  readonly tracesUrl: string | undefined;
  /** What the daemon does for the store at intervals; undefined intervals: never. */
  readonly care: {
    readonly backupEveryMs: number | undefined;
    readonly backupKeep: number;
    readonly backupDir: string;
    readonly reconcileEveryMs: number | undefined;
  };
  readonly log: { readonly level: "debug" | "info" | "warn" | "error"; readonly format: "json" | "pretty" | "auto" };
  /** The whole environment, for `${NAME}` in the sync file. Values are secrets until proven otherwise: never log them. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What the environment means, with defaults filled in. Holds no secret: those are in `Secrets`. */
export interface Settings extends LocalSettings {
  readonly service: ServiceSettings;
}

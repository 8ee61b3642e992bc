import type { Dialect } from "./dialect.ts";

/** What the environment means, with defaults filled in. Holds no secret: those are in {@link Secrets}. */
export interface Settings {
  readonly dataDir: string;
  readonly syncFile: string;
  readonly service: {
    readonly url: string;
    readonly login:
      | { readonly kind: "token" }
      | {
          readonly kind: "password";
          readonly username: string;
          readonly lifeTimeMinutes: number;
          readonly lifeTimeRefresh: boolean;
          readonly tokenName: string | undefined;
        };
    readonly dialect: Dialect;
    readonly connectTimeoutMs: number;
    readonly answerTimeoutMs: number;
    readonly callTimeoutMs: number;
    readonly concurrency: number;
    readonly responseLimitBytes: number;
    /** Path of a PEM file with the authorities to trust beside the system's. */
    readonly caFile: string | undefined;
    /** From HTTPS_PROXY / HTTP_PROXY / NO_PROXY. */
    readonly proxy: { readonly url: string; readonly except: readonly string[] } | undefined;
    /** How old cached reference data may be. */
    readonly referenceMaxAgeMs: number;
    /** How old the match index may be before a create consults it. */
    readonly matchMaxAgeMs: number;
  };
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
    /** A create/edit on a record that vanished from the service. */
    readonly auditKeepDays: number;
  };
  readonly polling: { readonly intervalMs: number; readonly sweepIntervalMs: number };
  readonly guard: { readonly percent: number; readonly count: number };
  readonly health: { readonly port: number; readonly host: string };
  readonly log: { readonly level: "debug" | "info" | "warn" | "error"; readonly format: "json" | "pretty" | "auto" };
  /** The whole environment, for `${NAME}` in the sync file. Values are secrets until proven otherwise: never log them. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What must never be seen: every value here is also given to the redaction of telemetry. */
export interface Secrets {
  readonly serviceToken: string | undefined;
  readonly servicePassword: string | undefined;
  readonly serviceCode: string | undefined;
  /** QUEUE_URL may carry a password. */
  readonly queueUrl: string | undefined;
}

import type { SentinelConnectionOptions } from "ioredis";
import { StopError, type SyncError } from "#model";
import { denied, unreachable } from "../errors.ts";
import type { QueueAddress, Sentinels } from "../queue-address.ts";

/** How long a Sentinel may take to answer before the next one is asked, in milliseconds. */
const answerTimeoutMs = 2_000;

/** Options to find the primary. Options for the server alone, such as its password, are not among them. */
export function sentinelOptions(
  { primary, hosts, username, password }: Sentinels,
  { isTls, retryPauseMs }: { isTls: boolean; retryPauseMs: (times: number) => number },
): Omit<SentinelConnectionOptions, "path"> {
  return {
    name: primary,
    sentinels: [...hosts],
    ...(username === null ? {} : { sentinelUsername: username }),
    ...(password === null ? {} : { sentinelPassword: password }),
    ...(isTls ? { sentinelTLS: {}, tls: {}, enableTLSForSentinelMode: true } : {}),
    sentinelCommandTimeout: answerTimeoutMs,
    sentinelRetryStrategy: retryPauseMs,
    /** A hanging primary breaks no connection, but Sentinel announces the promotion of another one. */
    failoverDetector: true,
    sentinelReconnectStrategy: retryPauseMs,
  };
}

/** Whether the client has asked all Sentinels and none has named a primary. */
export function isEndOfRound(error: Error): boolean {
  return error.message.startsWith("All sentinels are unreachable");
}

/** The error of a round in which no Sentinel named a primary, derived from each Sentinel's failure. */
export function noPrimary({ label, url }: QueueAddress, primary: string, failures: readonly Error[]): SyncError {
  const refusal = failures.find(({ message }) => /\b(NOAUTH|WRONGPASS|NOPERM)\b/.test(message));
  if (refusal) return denied(label, refusal);
  if (failures.every(({ message }) => message.includes("No such master")))
    return new StopError(
      "E_QUEUE_SENTINEL",
      `no Sentinel of the queue at ${label} knows a primary of the name ${JSON.stringify(primary)}`,
    );
  const last = failures.at(-1);
  // ioredis hides why a TLS connection failed.
  const isUnexplained = url.startsWith("rediss:") && last?.message.includes("Connection is closed");
  const hint = "it may not speak TLS, or its certificate may not be trusted here";
  return unreachable(label, isUnexplained ? new Error(`${last?.message} (${hint})`) : last);
}

import type { SentinelConnectionOptions } from "ioredis";
import { StopError, type SyncError } from "#model";
import { denied, unreachable } from "../errors.ts";
import type { QueueAddress, Sentinels } from "../queue-address.ts";

/** A Sentinel that says nothing for so long is passed over for the next one, in milliseconds. */
const answerTimeoutMs = 2_000;

/** How the client finds the primary. What it sends to the server alone, such as its password, is not among them. */
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
    /** A primary that hangs breaks no connection. Sentinel tells when another one is promoted. */
    failoverDetector: true,
    sentinelReconnectStrategy: retryPauseMs,
  };
}

/** Whether the client has asked all Sentinels, and none has named a primary. */
export function isEndOfRound(error: Error): boolean {
  return error.message.startsWith("All sentinels are unreachable");
}

/** Why a round of questions led to no primary, from what went wrong with each Sentinel. */
export function noPrimary({ label, url }: QueueAddress, primary: string, failures: readonly Error[]): SyncError {
  const refusal = failures.find(({ message }) => /\b(NOAUTH|WRONGPASS|NOPERM)\b/.test(message));
  if (refusal) return denied(label, refusal);
  if (failures.every(({ message }) => message.includes("No such master")))
    return new StopError(
      "E_QUEUE_SENTINEL",
      `no Sentinel of the queue at ${label} knows a primary of the name ${JSON.stringify(primary)}`,
    );
  const last = failures.at(-1);
  // The client keeps to itself why a connection with TLS was not made.
  const isUnexplained = url.startsWith("rediss:") && last?.message.includes("Connection is closed");
  const hint = "it may not speak TLS, or its certificate may not be trusted here";
  return unreachable(label, isUnexplained ? new Error(`${last?.message} (${hint})`) : last);
}

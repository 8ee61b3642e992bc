import type { Digest } from "../digest.ts";

/** A way to notify people or another system. */
export interface Channel extends Disposable {
  /** The name in logs, metrics and `status`. */
  readonly name: "email" | "chat" | "webhook";
  /**
   * Sends one message, already redacted. Resolves once the other side has accepted it.
   * @throws {RetryError} E_NOTIFY_UNREACHABLE, {ParkError} E_NOTIFY_LOGIN, E_NOTIFY_REFUSED
   */
  send(digest: Digest, signal: AbortSignal): Promise<void>;
}

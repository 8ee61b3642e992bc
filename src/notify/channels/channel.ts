import type { Digest } from "../digest.ts";

/** A way to people or to another system. */
export interface Channel extends Disposable {
  /** Its name in logs, metrics and `status`. */
  readonly name: "email" | "chat" | "webhook";
  /**
   * Delivers one message, already redacted. Resolves once the other side took it.
   * @throws {RetryError} E_NOTIFY_UNREACHABLE, {ParkError} E_NOTIFY_LOGIN, E_NOTIFY_REFUSED
   */
  send(digest: Digest, signal: AbortSignal): Promise<void>;
}

import { createHmac } from "node:crypto";

/** The headers that prove who sent a webhook, and when. */
export interface SignedHeaders {
  readonly "x-svcsync-timestamp": string;
  readonly "x-svcsync-signature": string;
}

/**
 * Signs a body: HMAC-SHA256 over the timestamp in seconds, a full stop and the body, as hexadecimal digits. The receiver
 * computes the same, compares in constant time and refuses timestamps older than a few minutes.
 */
export function signed(body: string, key: string, at: number): SignedHeaders {
  const timestamp = String(Math.floor(at / 1000));
  const digits = createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex");
  return { "x-svcsync-timestamp": timestamp, "x-svcsync-signature": `sha256=${digits}` };
}

import { RetryError, type ErrorCode } from "#model";

/** Why an exchange did not end with a usable answer. */
export type HttpFailureReason =
  | "unreachable"
  | "tls"
  | "timeout"
  | "cut"
  | "too-large"
  | "malformed"
  | "encoding"
  | "origin";

const CODES: Readonly<Record<HttpFailureReason, ErrorCode>> = {
  unreachable: "E_HTTP_UNREACHABLE",
  tls: "E_HTTP_TLS",
  timeout: "E_HTTP_TIMEOUT",
  cut: "E_HTTP_CUT",
  "too-large": "E_HTTP_TOO_LARGE",
  malformed: "E_HTTP_MALFORMED",
  encoding: "E_HTTP_ENCODING",
  origin: "E_HTTP_ORIGIN",
};

/**
 * An exchange without a usable answer. `outcomeUnknown` is true when the request may have been carried out, which is possible as
 * soon as a connection exists. A module with codes of its own translates it; otherwise it is a RetryError like any other.
 */
export class HttpFailure extends RetryError {
  readonly reason: HttpFailureReason;

  constructor(reason: HttpFailureReason, message: string, extras: { outcomeUnknown: boolean; cause?: unknown }) {
    super(CODES[reason], message, extras);
    this.reason = reason;
  }
}

/** Codes of Node for a certificate that is not trusted or does not fit. */
const TLS_CODES = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO|HOSTNAME_MISMATCH)/;

/** OpenSSL's messages for an answer that is not a TLS handshake. */
const NOT_TLS = /wrong version number|packet length too long|unknown protocol|http request/i;
const notTls = "the server does not speak https at this port: write http, or the port of https";

/** A connection that ends during the handshake never carried a request, although Node calls it a reset. */
const HANDSHAKE_CUT = "before secure TLS connection was established";

/** The failure of a call whose connection, or the head of whose answer, took too long. */
export function timedOut(phase: "connection" | "answer", ms: number, place: string): HttpFailure {
  return new HttpFailure("timeout", `${place}: no ${phase} after ${ms} ms`, { outcomeUnknown: phase === "answer" });
}

/**
 * Translates an error of Node. `place` is method and address without query, because a query may hold a secret. `mayHaveConnected` is false
 * only if it is proven that no connection existed.
 */
export function networkFailure(cause: Error, place: string, mayHaveConnected: boolean): HttpFailure {
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  if (TLS_CODES.test(code) || cause.message.includes(HANDSHAKE_CUT))
    return new HttpFailure(
      "tls",
      `${place}: ${NOT_TLS.test(cause.message) ? notTls : `the secure connection failed: ${cause.message}`}`,
      {
        outcomeUnknown: false,
        cause,
      },
    );
  return mayHaveConnected
    ? new HttpFailure("cut", `${place}: the connection was cut: ${cause.message}`, { outcomeUnknown: true, cause })
    : new HttpFailure("unreachable", `${place}: no connection: ${cause.message}`, { outcomeUnknown: false, cause });
}

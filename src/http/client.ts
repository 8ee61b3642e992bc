import type { HttpAnswer } from "./answer.ts";

/** The settings of a client, which apply to all of its calls. */
export interface HttpSettings {
  /** The client only calls the origin of this address: whatever a caller sends goes nowhere else. */
  readonly url: string;
  readonly userAgent: string;
  /** Limits the name lookup, the connection and the TLS handshake, each. */
  readonly connectTimeoutMs: number;
  /** From the last byte sent to the first byte of the answer. */
  readonly answerTimeoutMs: number;
  /** For the whole call. */
  readonly callTimeoutMs: number;
  readonly responseLimitBytes: number;
  /** The most connections to the origin at once. Further calls wait for one. */
  readonly connections: number;
  /** A PEM file with authorities to trust in addition to the system's. */
  readonly caFile?: string | undefined;
  readonly proxy?: { readonly url: string; readonly except: readonly string[] } | undefined;
  /** Keeps the cookies that servers set and sends them back, for logins by session cookie. */
  readonly cookies?: boolean;
}

export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Absolute, with its query already encoded. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** At most one of the three bodies. `json` is serialised once, by the client. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  /** Overrides the client's time-outs for calls that are known to be slow. */
  readonly callTimeoutMs?: number;
  /**
   * Called right before the first byte is sent, on a connection that is ready. If it throws, the call ends with that error and
   * nothing was sent.
   */
  readonly mayGo?: () => void;
}

/**
 * HTTP without surprises: each call makes one exchange and is never repeated automatically, every status is an answer, and every
 * failure is an {@link HttpFailure}. Redirects are followed for GET and HEAD only. A call or a redirect that leaves the origin of
 * `url` (another host, another port, http in place of https) is refused, so that credentials in headers reach no other host.
 */
export interface HttpClient extends Disposable {
  /**
   * Sends one request and reads the answer to its end.
   * An aborted `signal` ends the call at once with the abort reason.
   * @throws {HttpFailure} when no usable answer came; `outcomeUnknown` says whether the request may have been carried out.
   */
  call(request: HttpRequest): Promise<HttpAnswer>;
}

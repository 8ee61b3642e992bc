import type { HttpAnswer } from "./answer.ts";

/** How exchanges behave, once for all of a client's calls. */
export interface HttpSettings {
  /** The only origin that this client talks to is that of this address: whatever a caller sends goes nowhere else. */
  readonly url: string;
  readonly userAgent: string;
  /** For the name lookup, the connection and the TLS handshake, each. */
  readonly connectTimeoutMs: number;
  /** From the last byte sent to the first byte of the answer. */
  readonly answerTimeoutMs: number;
  /** For the whole call. */
  readonly callTimeoutMs: number;
  readonly responseLimitBytes: number;
  /** Connections to one origin at once; further calls wait for one. */
  readonly connections: number;
  /** A PEM file with authorities to trust beside the system's. */
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
  /** At most one of the three bodies. `json` is serialised here, once. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  /** Overrides the client's time-outs for calls that are known to be slow. */
  readonly callTimeoutMs?: number;
  /** Called right before the first byte leaves, on a connection that is ready. What it throws ends the call, and nothing was sent. */
  readonly mayGo?: () => void;
}

/**
 * HTTP without surprises: one exchange per call, never repeated automatically, every status an answer, every failure an
 * {@link HttpFailure}. Redirects are followed for GET and HEAD only. A call or a redirect that leaves the origin of
 * `url` (another host, another port, http in place of https) is refused, so credentials in headers reach no other host.
 */
export interface HttpClient extends Disposable {
  /**
   * Sends one request and reads the answer to its end.
   * An aborted `signal` ends it at once with the abort reason.
   * @throws {HttpFailure} when no usable answer came; `outcomeUnknown` tells whether the request may have been carried out.
   */
  call(request: HttpRequest): Promise<HttpAnswer>;
}

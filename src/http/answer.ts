import type { IncomingHttpHeaders } from "node:http";
import type { Json } from "#model";
import { HttpFailure } from "./failure.ts";

/** Error messages are short; error pages need not be. */
const EXCERPT_BYTES = 16 * 1024;
const XML_DECLARATION_BYTES = 200;

/** What a server answered, whatever the status. The body is read to its end and decoded only when asked for. */
export class HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
  /** From the call to the end of the body, waiting for a connection included. */
  readonly durationMs: number;
  /** Method and address without query, for messages. */
  readonly place: string;

  constructor(status: number, headers: IncomingHttpHeaders, bytes: Uint8Array, durationMs: number, place: string) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
    this.durationMs = durationMs;
    this.place = place;
  }

  /** True for 200 to 299. */
  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /**
   * The body as text, by the encoding that the answer declares unless the caller knows better.
   * @throws {HttpFailure} `encoding` where a byte is none of that encoding: to replace it would write wrong names.
   */
  text(encoding?: string): string {
    const charset = encoding ?? declaredCharset(this.headers["content-type"], this.bytes);
    try {
      // Nothing is replaced, and a byte order mark is left out.
      return new TextDecoder(charset, { fatal: true }).decode(this.bytes);
    } catch (cause) {
      const why =
        cause instanceof RangeError
          ? "is declared, which is not known"
          : "should be its encoding, but some bytes are not";
      throw new HttpFailure("encoding", `${this.place}: the answer cannot be read as text: ${charset} ${why}`, {
        outcomeUnknown: true,
        cause,
      });
    }
  }

  /** The beginning of the body for a message about it: of bounded length, and readable whatever it is encoded in. */
  get excerpt(): string {
    return new TextDecoder().decode(this.bytes.subarray(0, EXCERPT_BYTES)).trim();
  }

  /**
   * The body as JSON; undefined when there is none.
   * @throws {HttpFailure} `malformed` or `encoding`, naming the place and the content type but never the body.
   */
  json(): Json | undefined {
    const text = this.text();
    if (text.trim() === "") return undefined;
    try {
      const value: Json = JSON.parse(text);
      return value;
    } catch (cause) {
      const type = this.headers["content-type"] ?? "no content type";
      const what = `${this.place}: answered ${this.status} with ${this.bytes.length} bytes of ${type} that are not JSON`;
      throw new HttpFailure("malformed", what, { outcomeUnknown: true, cause });
    }
  }
}

/** The encoding that an answer declares: of its Content-Type, else of its XML declaration, else UTF-8 as JSON has to be. */
function declaredCharset(contentType: string | undefined, bytes: Uint8Array): string {
  const declared = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? "")?.[1];
  if (declared !== undefined) return declared;
  const head = Buffer.from(bytes.subarray(0, XML_DECLARATION_BYTES)).toString("latin1");
  return /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1] ?? "utf-8";
}

import type { IncomingHttpHeaders } from "node:http";
import type { Json } from "#model";
import { HttpFailure } from "./failure.ts";
import { parseInTurns } from "./parse-in-turns.ts";

/** The most of a body that an excerpt shows. Error messages are short, but error pages may be long. */
const EXCERPT_BYTES = 16 * 1024;
const XML_DECLARATION_BYTES = 200;

/** What a server answered, whatever the status. The body is complete, and is decoded only on demand. */
export class HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
  /** From the call to the end of the body, including the wait for a connection. */
  readonly durationMs: number;
  /** Method and address without query, for messages. */
  readonly place: string;
  /** Whether the server redirected the read, so that this is the answer of another address. */
  readonly isRedirected: boolean;

  constructor(
    status: number,
    headers: IncomingHttpHeaders,
    bytes: Uint8Array,
    durationMs: number,
    place: string,
    isRedirected = false,
  ) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
    this.durationMs = durationMs;
    this.place = place;
    this.isRedirected = isRedirected;
  }

  /** True for 200 to 299. */
  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /**
   * Returns the body as text, in the encoding that the answer declares or that the caller names.
   * @throws {HttpFailure} `encoding` when a byte is invalid in that encoding, because replacing it would write wrong names.
   */
  text(encoding?: string): string {
    const charset = encoding ?? declaredCharset(this.headers["content-type"], this.bytes);
    try {
      // Replaces nothing, and leaves out a byte order mark.
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

  /** The beginning of the body, for a message about it. Its length is bounded, and it is readable in any encoding. */
  get excerpt(): string {
    return new TextDecoder().decode(this.bytes.subarray(0, EXCERPT_BYTES)).trim();
  }

  /**
   * Returns the body as JSON; undefined when there is none. Other work continues while a large body is parsed: `parse` then gets it in parts,
   * each a list or an object with some of the members, and must treat each member separately.
   * @throws {HttpFailure} `malformed` or `encoding`, naming the place and the content type but never the body.
   */
  async json(parse: (text: string) => Json = parsed): Promise<Json | undefined> {
    const text = this.text();
    if (text.trim() === "") return undefined;
    try {
      return await parseInTurns(text, parse);
    } catch (cause) {
      const type = this.headers["content-type"] ?? "no content type";
      const what = `${this.place}: answered ${this.status} with ${this.bytes.length} bytes of ${type} that are not JSON`;
      throw new HttpFailure("malformed", what, { outcomeUnknown: true, cause });
    }
  }
}

function parsed(text: string): Json {
  const value: Json = JSON.parse(text);
  return value;
}

/** Returns the encoding that an answer declares in its Content-Type, else in its XML declaration, else UTF-8, which JSON requires. */
function declaredCharset(contentType: string | undefined, bytes: Uint8Array): string {
  const declared = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? "")?.[1];
  if (declared !== undefined) return declared;
  const head = Buffer.from(bytes.subarray(0, XML_DECLARATION_BYTES)).toString("latin1");
  return /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1] ?? "utf-8";
}

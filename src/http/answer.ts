import type { IncomingHttpHeaders } from "node:http";
import type { Json } from "#model";
import { HttpFailure } from "./failure.ts";

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

  /** The body as text; the encoding is the caller's knowledge, not the header's (`latin1` for old exports). */
  text(encoding: BufferEncoding = "utf8"): string {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength).toString(encoding);
  }

  /**
   * The body as JSON; undefined when there is none.
   * @throws {HttpFailure} `malformed`, naming the place and the content type but never the body.
   */
  json(): Json | undefined {
    const text = this.text().trim();
    if (text === "") return undefined;
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

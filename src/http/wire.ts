import { request as plain, type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as secure } from "node:https";
import type { Socket } from "node:net";
import { asError } from "#model";
import { HttpFailure, networkFailure, timedOut } from "./failure.ts";
import { gated, readyEvent, Withheld } from "./gate.ts";

/** What one call sends, and how long it waits for the head of the answer. */
export interface Outgoing {
  /** Method and address without query, for messages. */
  readonly place: string;
  readonly body: string | Buffer | undefined;
  /** Limits the name lookup, the connection and the TLS handshake, each. */
  readonly connectTimeoutMs: number;
  /** From the last byte sent to the first byte of the answer. */
  readonly answerTimeoutMs: number;
  readonly mayGo: (() => void) | undefined;
}

/**
 * The connection of one call, below got: sends each request whole, by Node's own client. If got sends, it writes the body in pieces,
 * takes a turn of the event loop for each, and follows the upload by events, which makes a small request a fifth more expensive.
 */
export class Wire {
  readonly #outgoing: Outgoing;
  #request: ClientRequest | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(outgoing: Outgoing) {
    this.#outgoing = outgoing;
  }

  /**
   * Resolves with the head of the answer. Of got's options it takes those that are used here; the agent has those of TLS.
   * @throws {HttpFailure} when there was no answer, or what `mayGo` threw.
   */
  send(url: URL, { agent, headers, method }: RequestOptions): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { place, body, mayGo, answerTimeoutMs } = this.#outgoing;
      let mayHaveConnected = false;
      let hasAnswer = false;
      const fail = (thrown: unknown) => {
        clearTimeout(this.#timer);
        const isOwn = thrown instanceof HttpFailure || thrown instanceof Withheld;
        reject(isOwn ? thrown : networkFailure(asError(thrown), place, mayHaveConnected));
      };
      try {
        const request = (url.protocol === "https:" ? secure : plain)(url, { agent, headers, method });
        // Node itself does not tell the length of what a GET or DELETE carries.
        if (body !== undefined) request.setHeader("content-length", Buffer.byteLength(body));
        this.#request = mayGo ? gated(request, mayGo) : request;
        request
          .on("error", fail)
          .once("socket", (socket: Socket) => {
            mayHaveConnected = !socket.connecting;
            if (socket.connecting) socket.once("connect", () => (mayHaveConnected = true));
            this.#limitConnecting(socket);
          })
          .once("finish", () => hasAnswer || this.#limit("answer", answerTimeoutMs))
          .once("response", (answer) => {
            hasAnswer = true;
            clearTimeout(this.#timer);
            resolve(answer);
          })
          .once("upgrade", (_answer, socket) => {
            socket.destroy();
            const what = `${place}: the server switched to another protocol unasked`;
            fail(new HttpFailure("malformed", what, { outcomeUnknown: true }));
          })
          .once("close", () => hasAnswer || fail(new Error("it ended without an answer")))
          .end(body);
      } catch (thrown) {
        fail(thrown);
      }
    });
  }

  /** Ends the request that is under way. */
  destroy(): void {
    clearTimeout(this.#timer);
    this.#request?.destroy();
  }

  #limitConnecting(socket: Socket): void {
    const event = readyEvent(socket);
    if (event === undefined) return;
    const again = () => this.#limit("connection", this.#outgoing.connectTimeoutMs);
    again();
    socket.once("lookup", again).once("connect", again);
    socket.once(event, () => clearTimeout(this.#timer));
  }

  /** Sets the time limit of the phase that begins now, in place of the one before. */
  #limit(phase: "connection" | "answer", ms: number): void {
    clearTimeout(this.#timer);
    const late = () => this.#request?.destroy(timedOut(phase, ms, this.#outgoing.place));
    this.#timer = setTimeout(late, ms);
  }
}

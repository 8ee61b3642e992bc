import { Writable } from "node:stream";
import { InvalidArgumentError } from "commander";
import { withIsoTimes } from "#operator";
import type { GlobalOptions } from "../command-context.ts";
import { failureText, settingsAdvice } from "../output/failure-text.ts";
import { safeIo, safeText, type Io } from "../output/io.ts";

/** What a tool may use while it reads. */
export interface ToolCall {
  readonly options: GlobalOptions;
  readonly io: Io;
}

/** The answer to one call, in the form of the protocol. */
export interface Answer {
  readonly content: { type: "text"; text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
  readonly [more: string]: unknown;
}

/**
 * Runs calls one after another, so that an assistant that asks for much at once asks no more of the ERP and the service than a person with
 * a terminal. Each call reads the settings again and opens and closes what it needs.
 */
export class Calls {
  readonly #options: GlobalOptions;
  readonly #io: Io;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: GlobalOptions, io: Io) {
    this.#options = options;
    this.#io = io;
  }

  /** Never rejects: a failure becomes an answer with the message that the command line would print. */
  answer(read: (call: ToolCall) => Promise<object>, signal: AbortSignal): Promise<Answer> {
    const answer = this.#last.then(() => this.#answer(read, AbortSignal.any([signal, this.#io.signal])));
    this.#last = answer;
    return answer;
  }

  /** Resolves when no call is running. */
  async ended(): Promise<void> {
    await this.#last;
  }

  async #answer(read: (call: ToolCall) => Promise<object>, signal: AbortSignal): Promise<Answer> {
    const io = ioOfCall(this.#io, signal);
    try {
      signal.throwIfAborted();
      const text = safeText(JSON.stringify(withIsoTimes(await read({ options: this.#options, io }))), io.redaction);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each tool returns an object
      return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) as Record<string, unknown> };
    } catch (thrown) {
      return { content: [{ type: "text", text: safeText(errorText(thrown), io.redaction) }], isError: true };
    }
  }
}

/** Outputs of one call: standard output belongs to the protocol, so nothing else reaches it. */
function ioOfCall({ stderr }: Io, signal: AbortSignal): Io {
  const stdout = writableTo(() => undefined);
  return safeIo({ stdout, stderr: writableTo((text) => stderr.write(text)), isTerminal: false, signal });
}

function writableTo(take: (text: string) => unknown): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk));
      done();
    },
  });
}

function errorText(thrown: unknown): string {
  if (thrown instanceof InvalidArgumentError) return thrown.message;
  return `${failureText(thrown)}${settingsAdvice(thrown)}`.trimEnd();
}

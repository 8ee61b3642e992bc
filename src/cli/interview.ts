import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { noTerminal, UsageError } from "#operator";
import type { Io } from "./output/io.ts";
import { wrapped } from "./output/wrapped.ts";

export interface Question {
  readonly text: string;
  /** The answer if nothing is typed. */
  readonly fallback?: string | undefined;
  /** Hidden while it is typed. */
  readonly isSecret?: boolean | undefined;
  /** What is wrong with an answer, in order to ask again; undefined accepts it. */
  readonly objection?: (answer: string) => string | undefined;
}

/**
 * Asks a person, one line per answer. Lines may also come from a pipe: lines that arrive early are kept for their
 * questions, which the library's own `question` would lose.
 */
export class Interview implements Disposable {
  readonly #io: Io;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  #isMuted = false;
  #isClosed = false;

  constructor(io: Io, input: NodeJS.ReadableStream) {
    this.#io = io;
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#isMuted) io.terminal.write(chunk);
        done();
      },
    });
    this.#reader = createInterface({ input, output: echo, terminal: io.isTerminal });
    this.#reader.once("close", () => (this.#isClosed = true));
    // Ctrl-C and SIGTERM end the questions: the next answer is undefined.
    this.#reader.on("SIGINT", () => this.#reader.close());
    io.signal.addEventListener("abort", () => this.#reader.close(), { once: true });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  [Symbol.dispose](): void {
    this.#reader.close();
  }

  say(text: string): void {
    this.#io.stdout.write(`${wrapped(text, this.#io.width)}\n`);
  }

  /** The answer, trimmed; undefined when the person left or the pipe ended. */
  async ask({ text, fallback, isSecret, objection }: Question): Promise<string | undefined> {
    const hint = fallback === undefined || fallback === "" ? "" : ` [${fallback}]`;
    for (;;) {
      this.#prompt(`${text}${hint}: `);
      this.#isMuted = isSecret ?? false;
      const line = await this.#lines.next();
      this.#isMuted = false;
      if (isSecret) this.#io.stdout.write("\n");
      if (line.done) {
        this.#io.stdout.write("\n");
        return undefined;
      }
      const answer = line.value.trim() === "" ? (fallback ?? "") : line.value.trim();
      const wrong = objection?.(answer);
      if (wrong === undefined) return answer;
      this.#io.stdout.write(`${wrapped(`  ${wrong}`, this.#io.width)}\n`);
    }
  }
  /**
   * The reader writes the prompt, because it redraws the line when the user edits it. A pipe may have ended while
   * answers are left.
   */
  #prompt(question: string): void {
    // The answer gets the last line: the reader redraws only that.
    const lines = wrapped(question, this.#io.width).split("\n");
    const text = lines.pop() ?? "";
    if (lines.length > 0) this.#io.stdout.write(`${lines.join("\n")}\n`);
    if (this.#isClosed) {
      this.#io.stdout.write(text);
      return;
    }
    this.#reader.setPrompt(text);
    this.#reader.prompt();
  }
}

export function canBeAsked(io: Io): io is Io & { readonly stdin: NodeJS.ReadableStream } {
  return io.isTerminal && io.stdin !== undefined;
}

/** @throws {UsageError} without a terminal, where the deed cannot be confirmed. */
export function expectTerminal(io: Io, deed: string): void {
  if (!canBeAsked(io)) throw new UsageError(noTerminal(deed));
}

/** Asks a yes-or-no question; undefined without a terminal. */
export async function confirmed(io: Io, text: string): Promise<boolean | undefined> {
  if (!canBeAsked(io)) return undefined;
  using interview = new Interview(io, io.stdin);
  const reply = await interview.ask({
    text,
    objection: (typed) => (/^(y|yes|n|no)$/i.test(typed) ? undefined : "expected yes or no"),
  });
  return reply?.toLowerCase().startsWith("y") ?? false;
}

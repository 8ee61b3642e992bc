import { printable } from "#model";
import { withIsoTimes, type Urgency } from "#operator";
import { Redaction } from "#telemetry";

/** What the process provides to a command line, so that tests can run command lines. */
export interface ProcessIo {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Input for answers to questions; undefined if not interactive. */
  readonly stdin?: NodeJS.ReadableStream;
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
  /** Aborted by SIGINT or SIGTERM: stop cleanly. */
  readonly signal: AbortSignal;
}

/** Accepts only text and makes it redacted and printable: nothing that an ERP or the service says can control the terminal. */
export interface TextOutput {
  write(text: string): unknown;
}

/** The parts of the process that a command may use. */
export interface Io extends Omit<ProcessIo, "stdout" | "stderr"> {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** Knows the secrets of the settings as soon as they are read; both outputs apply it. */
  readonly redaction: Redaction;
  /** Printable but not redacted: only for svcsync's own texts, such as an example of an address with a password. */
  readonly ownWords: TextOutput;
  /** The process's own stdout, for output that moves the cursor: questions and progress bars. */
  readonly terminal: NodeJS.WritableStream;
  /** How many characters fit into a line of the terminal; undefined where there is none. */
  readonly width?: number | undefined;
}

/** The only way in which commands print. */
export function safeIo(io: ProcessIo): Io {
  const redaction = new Redaction();
  const safe = (stream: NodeJS.WritableStream): TextOutput => ({
    write: (text) => stream.write(safeText(text, redaction)),
  });
  const ownWords: TextOutput = { write: (text) => io.stdout.write(printable(text)) };
  const width = io.isTerminal && "columns" in io.stdout ? Number(io.stdout.columns) || undefined : undefined;
  return { ...io, stdout: safe(io.stdout), stderr: safe(io.stderr), redaction, ownWords, terminal: io.stdout, width };
}

/** What may leave the process: without secrets and without characters that control a terminal. JSON keeps its meaning. */
export function safeText(text: string, { redact }: Pick<Redaction, "redact">): string {
  return printable(redact(text));
}

/** Prints one value as one line of JSON, with instants in ISO 8601. */
export function printJson(output: TextOutput, value: unknown): void {
  output.write(`${JSON.stringify(withIsoTimes(value))}\n`);
}

export const exitCode = { ok: 0, needsPerson: 1, changes: 2, usage: 64, stopped: 70, again: 75, settings: 78 } as const;

export { UsageError } from "#operator";

/** The meaning of each exit code, in every command, following sysexits.h and cron's conventions. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [exitCode.ok, "done; everything is in sync or on its way"],
  [exitCode.needsPerson, "action needed: a record, a stream or a question waits for your decision"],
  [exitCode.changes, "plan: the next run would change something"],
  [exitCode.usage, "the command line is wrong; nothing was done"],
  [exitCode.stopped, "svcsync could not continue: the store, the queue or the service's credentials"],
  [exitCode.again, "something failed or is not finished; the next round retries it"],
  [exitCode.settings, "the settings or the sync file are wrong; nothing was done"],
];

/** The exit code for the most urgent of these. */
export function urgencyCode(...urgencies: readonly Urgency[]): number {
  if (urgencies.includes("person")) return exitCode.needsPerson;
  return urgencies.includes("time") ? exitCode.again : exitCode.ok;
}

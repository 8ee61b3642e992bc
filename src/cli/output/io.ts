import { printable } from "#model";
import { Redaction } from "#telemetry";

/** What the process gives to a command line, so that command lines can be run by tests. */
export interface ProcessIo {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Where answers to questions come from; undefined: not interactive. */
  readonly stdin?: NodeJS.ReadableStream;
  /** Whether a person looks at stdout. */
  readonly isTerminal: boolean;
  /** Aborted by SIGINT or SIGTERM: stop cleanly. */
  readonly signal: AbortSignal;
}

/** Takes text alone, redacted and printable: nothing that an ERP or the service says can steer the terminal. */
export interface TextOutput {
  write(text: string): unknown;
}

/** What a command may touch of the process. */
export interface Io extends Omit<ProcessIo, "stdout" | "stderr"> {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** Knows the secrets of the settings as soon as they are read; both outputs obey it. */
  readonly redaction: Redaction;
  /** Printable, not redacted: for svcsync's own words alone, which show what an address with a password looks like. */
  readonly ownWords: TextOutput;
  /** The process's own stdout, for what moves the cursor: questions and progress bars. */
  readonly terminal: NodeJS.WritableStream;
}

/** The one way out for all that commands print. */
export function safeIo(io: ProcessIo): Io {
  const redaction = new Redaction();
  const safe = (stream: NodeJS.WritableStream): TextOutput => ({
    write: (text) => stream.write(printable(redaction.redact(text))),
  });
  const ownWords: TextOutput = { write: (text) => io.stdout.write(printable(text)) };
  return { ...io, stdout: safe(io.stdout), stderr: safe(io.stderr), redaction, ownWords, terminal: io.stdout };
}

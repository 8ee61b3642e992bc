import { createRequire } from "node:module";
import { oneLine, printable, programFile } from "#model";
import { pino, type DestinationStream, type Logger as Pino } from "pino";
import type * as pinoPretty from "pino-pretty";
import type { Logger } from "./logger.ts";
import { plainFields } from "./plain-value.ts";
import { Redaction, type Redact } from "./redaction.ts";

export interface LogOptions {
  readonly level: "debug" | "info" | "warn" | "error";
  /** `auto`: pretty on a terminal, otherwise JSON. */
  readonly format: "json" | "pretty" | "auto";
  /** Texts that must not appear anywhere in a line. A Redaction can learn more of them later. */
  readonly secrets: readonly string[] | Redaction;
  /** Default: standard output. */
  readonly destination?: DestinationStream | undefined;
}

const standardOutput = 1;
/** How much of the log is kept in memory while it cannot be written, in bytes. */
const keptBytes = 1024 * 1024;

/**
 * Opens the process's log: one line per message, with `time` (ISO 8601, UTC), `level`, the fields and `msg`. Lines are written before the
 * call returns, so that the last ones before a crash are not lost.
 */
export function openLogger(options: LogOptions): Logger {
  const onTerminal = options.destination === undefined && process.stdout.isTTY;
  const usePretty = options.format === "pretty" || (options.format === "auto" && onTerminal);
  const output = options.destination ?? unfailingOutput();
  const root = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Errors are already plain objects; pino's serializer would convert them again.
      serializers: { err: (plain: unknown) => plain },
    },
    usePretty ? prettyStream(output, onTerminal && process.stdout.hasColors()) : printableStream(output),
  );
  const { redact } = options.secrets instanceof Redaction ? options.secrets : new Redaction(options.secrets);
  return redactedLogger(root, usePretty ? (text) => withoutBreaks(redact(text)) : redact);
}

/** Standard output that ignores errors: a full disk, or a closed terminal, stops only the log. */
function unfailingOutput(): DestinationStream {
  const output = pino.destination({ dest: standardOutput, sync: true, maxLength: keptBytes });
  output.on("error", () => undefined);
  return output;
}

/**
 * Formats in this thread and at once, because a worker thread would lose the last lines before a crash. Loads the formatter for the first
 * line: a container logs JSON, and most commands log nothing.
 */
function prettyStream(output: DestinationStream, colorize: boolean): DestinationStream {
  let prettify: ReturnType<typeof prettifier> | undefined;
  return { write: (line) => output.write((prettify ??= prettifier(colorize))(line)) };
}

function prettifier(colorize: boolean) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- import() would answer after the line
  const { prettyFactory } = createRequire(programFile("."))("pino-pretty") as typeof pinoPretty;
  return prettyFactory({ colorize, translateTime: "SYS:HH:MM:ss.l", singleLine: true });
}

/** Removes line breaks, so that no value starts a line of its own; the lines of a stack trace stay lines. */
function withoutBreaks(text: string): string {
  return text
    .split(/\n(?= {4}at )/)
    .map(oneLine)
    .join("\n");
}

/** Escapes control characters for terminals; the JSON keeps its meaning. */
function printableStream(output: DestinationStream): DestinationStream {
  return { write: (line) => output.write(printable(line)) };
}

/** Passes only plain, redacted values to pino. */
function redactedLogger(root: Pino, redact: Redact): Logger {
  const write =
    (level: LogOptions["level"]): Logger["info"] =>
    (fields, message) => {
      if (root.isLevelEnabled(level)) root[level](plainFields(fields, redact), redact(message));
    };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: (fields) => redactedLogger(root.child(plainFields(fields, redact)), redact),
  };
}

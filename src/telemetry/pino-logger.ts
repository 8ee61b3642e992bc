import { oneLine, printable } from "#model";
import { pino, type DestinationStream, type Logger as Pino } from "pino";
import { prettyFactory } from "pino-pretty";
import type { Logger } from "./logger.ts";
import { plainFields } from "./plain-value.ts";
import { Redaction, type Redact } from "./redaction.ts";

export interface LogOptions {
  readonly level: "debug" | "info" | "warn" | "error";
  /** `auto`: pretty on a terminal, else JSON. */
  readonly format: "json" | "pretty" | "auto";
  /** Texts that no line may hold, wherever they would stand; as a redaction they may grow. */
  readonly secrets: readonly string[] | Redaction;
  /** Standard output unless given. */
  readonly destination?: DestinationStream | undefined;
}

const standardOutput = 1;
/** Of a log that cannot be written for now, so many bytes are kept for later. */
const keptBytes = 1024 * 1024;

/**
 * Opens the log of the process: one line per message, with `time` (ISO 8601, UTC), `level`, the fields and `msg`.
 * Lines are written before the call returns, so that the last ones before a crash are there.
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
      // Errors are plain objects already: pino's serializer would take them apart again.
      serializers: { err: (plain: unknown) => plain },
    },
    usePretty ? prettyStream(output, onTerminal && process.stdout.hasColors()) : printableStream(output),
  );
  const { redact } = options.secrets instanceof Redaction ? options.secrets : new Redaction(options.secrets);
  return redactedLogger(root, usePretty ? (text) => withoutBreaks(redact(text)) : redact);
}

/** A disk that is full, or a terminal that is gone, stops nothing but the log. */
function unfailingOutput(): DestinationStream {
  const output = pino.destination({ dest: standardOutput, sync: true, maxLength: keptBytes });
  output.on("error", () => undefined);
  return output;
}

/** Prettifies in this thread and at once: a worker thread would lose the last lines of a crash. */
function prettyStream(output: DestinationStream, colorize: boolean): DestinationStream {
  const prettify = prettyFactory({
    colorize,
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
  });
  return { write: (line) => output.write(prettify(line)) };
}

/** No value begins a line of its own; the lines of a stack stay lines. */
function withoutBreaks(text: string): string {
  return text
    .split(/\n(?= {4}at )/)
    .map(oneLine)
    .join("\n");
}

/** JSON that a terminal does not obey; what it means stays the same. */
function printableStream(output: DestinationStream): DestinationStream {
  return { write: (line) => output.write(printable(line)) };
}

/** Nothing reaches pino but plain, redacted values. */
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

import type { LogFields, Logger } from "#telemetry";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps what it is told. Children write into their parent's lines. */
export interface MemoryLogger extends Logger {
  readonly lines: LogLine[];
  /** How often a message was logged. */
  count(message: string): number;
}

export function memoryLogger(bound: LogFields = {}, lines: LogLine[] = []): MemoryLogger {
  const write = (level: LogLine["level"]) => (fields: LogFields, message: string) =>
    void lines.push({ level, message, fields: { ...bound, ...fields } });
  return {
    lines,
    count: (message) => lines.filter((line) => line.message === message).length,
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: (fields) => memoryLogger({ ...bound, ...fields }, lines),
  };
}

/** Says nothing, for tests that do not ask what was said. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};

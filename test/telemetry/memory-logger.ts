import type { LogFields, Logger } from "#telemetry";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

/** A log that keeps its lines, for tests that ask what was said. Children write into their parent's list. */
export interface MemoryLogger extends Logger {
  readonly lines: LogLine[];
}

export function memoryLogger(bound: LogFields = {}, lines: LogLine[] = []): MemoryLogger {
  const write = (level: LogLine["level"]) => (fields: LogFields, message: string) => {
    lines.push({ level, message, fields: { ...bound, ...fields } });
  };
  return {
    lines,
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: (fields) => memoryLogger({ ...bound, ...fields }, lines),
  };
}

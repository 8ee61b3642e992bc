import type { LogFields, Logger } from "#telemetry";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps what it is told. */
export interface RecordingLogger extends Logger {
  readonly lines: LogLine[];
  /** How often a message was logged. */
  count(message: string): number;
}

export function recordingLogger(): RecordingLogger {
  const lines: LogLine[] = [];
  const at = (level: LogLine["level"]) => (fields: LogFields, message: string) =>
    void lines.push({ level, message, fields });
  const logger: RecordingLogger = {
    lines,
    count: (message) => lines.filter((line) => line.message === message).length,
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: () => logger,
  };
  return logger;
}

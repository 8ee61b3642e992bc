import { codeOf, errorEntry, messageOf, errorText, StopError, SyncError } from "#model";
import { exitCode, UsageError } from "./io.ts";

/** Errors about options that conflict only in combination, which the parser cannot detect. */
const usageErrors: ReadonlySet<string> = new Set([
  "E_SANDBOX_ACCOUNT",
  "E_SANDBOX_FAULT",
  "E_SANDBOX_RESOURCE",
  "E_PAUSE_TIME",
]);
const settingsErrors: ReadonlySet<string> = new Set(["E_SETTINGS", "E_SYNC_FILE", "E_TEST_FILE"]);

/** The message for an error of a command. The code is on a line of its own where it could be mistaken for part of a list. */
export function failureText(thrown: unknown): string {
  if (thrown instanceof UsageError) return `${thrown.message}\n`;
  const unwritable = unwritablePath(thrown);
  if (unwritable !== undefined)
    return `${unwritable}: svcsync may not write here. Name a file in a folder that it may write to, or start it in one.\n`;
  if (/^(ENOSPC|EDQUOT|EFBIG)$/.test(codeOf(thrown) ?? ""))
    return `A file could not be written: ${messageOf(thrown)}. Free space on that disk, then give the command again.\n`;
  if (!(thrown instanceof SyncError))
    return `${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)} (E_INTERNAL)\n`;
  const { message, code } = thrown;
  return message.includes("\n") ? `${message}\n(${code})\n` : `${errorText(thrown)}\n`;
}

/** Error codes of the operating system for folders and disks that cannot be written. */
const unwritableCodes: ReadonlySet<string> = new Set(["EACCES", "EROFS", "EPERM"]);

function unwritablePath(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown) || !("path" in thrown)) return undefined;
  const [code, path] = [String(thrown.code), String(thrown.path)];
  return unwritableCodes.has(code) ? `${path} (${code})` : undefined;
}

/** The exit code that tells a script what to do about it. */
export function failureCode(thrown: unknown): number {
  if (thrown instanceof UsageError) return exitCode.usage;
  if (!(thrown instanceof SyncError)) return exitCode.stopped;
  if (isSettingsError(thrown)) return exitCode.settings;
  if (usageErrors.has(thrown.code)) return exitCode.usage;
  // Trying again would fail in the same way.
  if (thrown.family === "park") return exitCode.needsPerson;
  return thrown instanceof StopError ? exitCode.stopped : exitCode.again;
}

/** A line to add to {@link failureText} about where settings and sync file are explained; nothing for other errors. */
export function settingsAdvice(thrown: unknown): string {
  if (!isSettingsError(thrown)) return "";
  const code = codeOf(thrown);
  if (code === "E_TEST_FILE") return `${errorEntry(code)!.remedy}\n`;
  return 'Correct it, then run "svcsync check". .env.example and docs/sync-file.md explain every setting and keyword; "svcsync init" writes the first files.\n';
}

function isSettingsError(thrown: unknown): boolean {
  return thrown instanceof SyncError && settingsErrors.has(thrown.code);
}

import { readFileSync } from "node:fs";
import { parse } from "dotenv";
import { codeOf, utf8Fault } from "#model";
import { envFileProblems, wrongBytes } from "./env-file-lines.ts";
import type { EnvironmentProblem } from "./problem.ts";
import { quotedValues } from "./quoted-values.ts";
import type { SettingKey } from "./schema/key.ts";
import { isSettingsKey, keys } from "./schema/schema.ts";
import { mayComeFromFile } from "./secrets.ts";
import { blankNames, isServiceLink, lowerCaseProxies, unknownNames } from "./unknown-names.ts";

export interface EnvironmentOptions {
  /** Path of the env file. Default: `.env`, if it exists. */
  readonly envFile?: string | undefined;
  /** Takes precedence over the env file. Default: the process's environment. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether secret files (`SERVICE_TOKEN_FILE`) may be missing, because nothing is called. */
  readonly mayLackSecrets?: boolean;
}

/** The texts of the environment, before they are interpreted. */
export interface Environment {
  /** Texts by name. Empty texts are left out, because an empty value means "not set". */
  readonly texts: Readonly<Record<string, string>>;
  /** The files that texts were read from, by the name of the variable. */
  readonly secretFiles: ReadonlyMap<string, string>;
  readonly problems: readonly EnvironmentProblem[];
}

const fileSuffix = "_FILE";

/** Makes Node accept every certificate, of the service and of all ERPs. */
const unchecked = "NODE_TLS_REJECT_UNAUTHORIZED";
const uncheckedWanted =
  "no such variable, as it lets anyone pose as the service or an ERP; name your authority in SERVICE_CA_FILE, or at the source in `caFile` or `tls.caFile`";

/** Reads the env file, overrides it by the process environment, then reads the files that `<NAME>_FILE` names. */
export function readEnvironment({
  envFile,
  environment = process.env,
  mayLackSecrets = false,
}: EnvironmentOptions): Environment {
  const problems: EnvironmentProblem[] = [];
  const outer = withProxies(withoutEmpty(environment));
  const file = withProxies(withoutEmpty(readEnvFile(envFile, outer, problems)));
  const texts = { ...file, ...outer };
  if (texts[unchecked] === "0") problems.push({ key: unchecked, found: '"0"', wanted: uncheckedWanted });
  const secretFiles = readSecretFiles(texts, mayLackSecrets ? [] : problems);
  const outside = Object.keys(outer).filter((name) => !isServiceLink(name, outer[name]!));
  problems.push(...unknownNames(Object.keys(file), outside), ...blankNames(outside), ...quotedValues(outer));
  return { texts, secretFiles, problems };
}

/** All variables that svcsync can see, by where they are, before secrets are read from files. */
export function visibleTexts({ envFile, environment = process.env }: EnvironmentOptions) {
  return { file: withoutEmpty(readEnvFile(envFile, {}, [])), outer: withoutEmpty(environment) };
}

function withProxies(texts: Record<string, string>): Record<string, string> {
  for (const name of lowerCaseProxies) if (texts[name] !== undefined) texts[name.toUpperCase()] ??= texts[name];
  return texts;
}

/** Does not repeat the path, which may be the secret itself under the wrong key. */
const pathWanted = "the path of a file that can be read; a value itself belongs into the key without _FILE";

/**
 * Reads secrets from files, as containers supply them. A file for one of our keys must be readable, or is reported. Files for other keys
 * (`ERP_PASSWORD_FILE`, for the sync file) are read if possible, because a name alone does not tell whether it is meant for svcsync.
 */
function readSecretFiles(texts: Record<string, string>, problems: EnvironmentProblem[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const [name, path] of Object.entries(texts)) {
    if (!name.endsWith(fileSuffix) || isSettingsKey(name)) continue;
    const target = name.slice(0, -fileSuffix.length);
    const ours = isSettingsKey(target);
    if (!mayComeFromFile(target)) {
      if (ours) problems.push({ key: name, found: "a file", wanted: `the value itself in ${target}: it is no secret` });
      continue;
    }
    if (texts[target] !== undefined) {
      if (ours) problems.push({ key: name, found: `${target} as well`, wanted: "one of the two" });
      continue;
    }
    try {
      const text = readSecret(path);
      if (text !== "") {
        files.set(target, path);
        texts[target] = text;
      } else if (ours) problems.push({ key: name, found: "an empty file", wanted: "a file that holds the value" });
    } catch (error) {
      if (ours && error instanceof WrongBytes)
        problems.push({ key: name, found: error.message, wanted: "a file in UTF-8" });
      else if (ours) problems.push({ key: name, found: `no readable file (${systemCode(error)})`, wanted: pathWanted });
    }
  }
  return files;
}

/** A file of another encoding. Its bytes are a secret, so only their place is named. */
class WrongBytes extends Error {}

function readSecret(path: string): string {
  const bytes = readFileSync(path);
  const fault = utf8Fault(bytes);
  if (fault !== undefined) throw new WrongBytes(`a byte that is not UTF-8: byte ${fault.column} of line ${fault.line}`);
  return bytes.toString("utf8").replace(/^\uFEFF|\r?\n$/g, "");
}

/** The texts with the current contents of the files. If a file cannot be read, or holds no usable value, its previous text stays. */
export function rereadSecretFiles(
  texts: Readonly<Record<string, string>>,
  secretFiles: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const now = { ...texts };
  for (const [name, path] of secretFiles)
    try {
      const text = readSecret(path);
      if (text !== "" && isUsable(name, text)) now[name] = text;
    } catch {
      // The file is being replaced, or is gone.
    }
  return now;
}

/** Whether the key accepts the text. A token that no HTTP header can carry would never be refused, and so never be read again. */
function isUsable(name: string, text: string): boolean {
  const key = Object.entries<SettingKey>(keys).find(([known]) => known === name)?.[1];
  return key?.value.safeParse(text).success ?? true;
}

function withoutEmpty(texts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ""),
  );
}

/** The names and texts of an env file: the given one, or `.env` if it exists. */
function readEnvFile(
  path: string | undefined,
  outer: Readonly<Record<string, string>>,
  problems: EnvironmentProblem[],
): Record<string, string> {
  try {
    const bytes = readFileSync(path ?? ".env");
    const content = bytes.toString("utf8");
    const texts = parse(content);
    problems.push(...wrongBytes(bytes), ...envFileProblems(content, texts, outer));
    return texts;
  } catch (error) {
    const code = systemCode(error);
    if (path !== undefined || code !== "ENOENT")
      problems.push({ key: "--env-file", found: `${path ?? ".env"} (${code})`, wanted: "a file that can be read" });
    return {};
  }
}

/** The environment for programs that svcsync starts: only where to find programs, nothing that could be a secret. */
export function childEnvironment(): Readonly<Record<string, string>> {
  const { PATH } = process.env;
  return PATH === undefined ? {} : { PATH };
}

/** The operating system's error code: ENOENT, EACCES, EISDIR. */
function systemCode(error: unknown): string {
  return codeOf(error) ?? String(error);
}

/** How to notify systemd, see sd_notify(3). */
export interface NotifyAccess {
  /** The path of systemd's socket, or its name after an @. */
  readonly socket: string;
  /** systemd restarts this process after this much silence, in milliseconds; undefined without WatchdogSec=. */
  readonly watchdogMs: number | undefined;
}

/** Undefined if no service manager listens. */
export function notifyAccess(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): NotifyAccess | undefined {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC, WATCHDOG_PID } = environment;
  if (socket === undefined || socket === "") return undefined;
  const isForUs = WATCHDOG_PID === undefined || WATCHDOG_PID === String(process.pid);
  const watchdogMs = Number(WATCHDOG_USEC ?? Number.NaN) / 1_000;
  return { socket, watchdogMs: isForUs && watchdogMs > 0 ? watchdogMs : undefined };
}

import { readFileSync } from "node:fs";
import { parse } from "dotenv";
import { codeOf, nearest } from "#model";
import type { Problem } from "./problem.ts";
import type { Key } from "./schema/key.ts";
import { isSettingsKey, keys, ownPrefixes } from "./schema/schema.ts";
import { mayComeFromFile } from "./secrets.ts";

export interface EnvironmentOptions {
  /** Path of the env file. Without it `.env` is read where there is one. */
  readonly envFile?: string | undefined;
  /** What takes precedence over the env file; the process's own environment unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Files of secrets (`SERVICE_TOKEN_FILE`) need not be there: nothing is called. */
  readonly mayLackSecrets?: boolean;
}

/** What the environment says, before anyone asks what it means. */
export interface Environment {
  /** Names to texts. Empty texts are left out: an empty value means "not set". */
  readonly texts: Readonly<Record<string, string>>;
  /** The files that texts came from, by the name of the variable. */
  readonly secretFiles: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

const fileSuffix = "_FILE";
const lowerCaseProxies = ["https_proxy", "http_proxy", "no_proxy"];

/** Node's switch that accepts every certificate, of the service and of all ERPs. */
const unchecked = "NODE_TLS_REJECT_UNAUTHORIZED";
const uncheckedWanted =
  "no such variable, as it lets anyone pose as the service or an ERP; name your authority in SERVICE_CA_FILE, or at the source in `caFile` or `tls.caFile`";

/** Reads the env file under the process environment, then the files that `<NAME>_FILE` names. */
export function readEnvironment({
  envFile,
  environment = process.env,
  mayLackSecrets = false,
}: EnvironmentOptions): Environment {
  const problems: Problem[] = [];
  const outer = withProxies(withoutEmpty(environment));
  const file = withProxies(withoutEmpty(readEnvFile(envFile, outer, problems)));
  const texts = { ...file, ...outer };
  if (texts[unchecked] === "0") problems.push({ key: unchecked, found: '"0"', wanted: uncheckedWanted });
  const secretFiles = readSecretFiles(texts, mayLackSecrets ? [] : problems);
  const outside = Object.keys(outer).filter((name) => !isServiceLink(name, outer[name]!));
  problems.push(...unknownNames(Object.keys(file), outside));
  return { texts, secretFiles, problems };
}

function withProxies(texts: Record<string, string>): Record<string, string> {
  for (const name of lowerCaseProxies) if (texts[name] !== undefined) texts[name.toUpperCase()] ??= texts[name];
  return texts;
}

/** The path is not repeated: it may be the secret itself, given to the wrong key. */
const pathWanted = "the path of a file that can be read; a value itself belongs into the key without _FILE";

/**
 * A container's secrets come as files. Ours are read or reported; those of others (`ERP_PASSWORD_FILE`, for the sync
 * file) are read where they can be, since a name alone does not tell whether it is meant for svcsync.
 */
function readSecretFiles(texts: Record<string, string>, problems: Problem[]): Map<string, string> {
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
      if (ours) problems.push({ key: name, found: `no readable file (${systemCode(error)})`, wanted: pathWanted });
    }
  }
  return files;
}

function readSecret(path: string): string {
  return readFileSync(path, "utf8").replace(/^\uFEFF|\r?\n$/g, "");
}

/** The texts with what the files hold now. One that cannot be read, or holds no usable value, leaves the text that it gave before. */
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
      // The file is being replaced, or gone.
    }
  return now;
}

/** A token that no header takes would never be refused, and so never be read again. */
function isUsable(name: string, text: string): boolean {
  const key = Object.entries<Key>(keys).find(([known]) => known === name)?.[1];
  return key?.value.safeParse(text).success ?? true;
}

/**
 * Names that are meant for svcsync and that it does not know. In the process environment only near misses count:
 * container platforms add variables of their own (`QUEUE_SERVICE_HOST`). A name that begins with none of our words may be an
 * ERP's (`SFTP_URL`), so it has to be a slip.
 */
function unknownNames(inFile: readonly string[], outside: readonly string[]): Problem[] {
  const known = Object.keys(keys);
  const names = new Set([...inFile, ...outside]);
  return [...names].flatMap((name) => {
    if (isKnown(name)) return [];
    const isOurs = ownPrefixes.some((prefix) => name.startsWith(prefix));
    const meant = isOurs ? nearest(name, known) : known.find((key) => isSlip(name, key));
    if (meant === undefined && !(isOurs && inFile.includes(name))) return [];
    const wanted = meant === undefined ? "a key of .env.example" : `a key of .env.example: did you mean ${meant}?`;
    return [{ key: name, found: "an unknown key", wanted }];
  });
}

/** Kubernetes tells each pod of a service called queue: `QUEUE_PORT=tcp://10.0.0.1:6379`. */
function isServiceLink(name: string, text: string): boolean {
  return name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(text);
}

/** A key with a letter left out, doubled or swapped with its neighbour, or in small letters: nothing else is called that. */
function isSlip(name: string, key: string): boolean {
  if (name.toUpperCase() === key) return true;
  let at = 0;
  while (at < name.length && name[at] === key[at]) at++;
  const [rest, wanted] = [name.slice(at), key.slice(at)];
  const isLeftOut = rest === wanted.slice(1) && wanted[0] !== "_";
  const isDoubled = rest.slice(1) === wanted && rest[0] === key[at - 1];
  return isLeftOut || isDoubled || rest === `${wanted[1]}${wanted[0]}${wanted.slice(2)}`;
}

function isKnown(name: string): boolean {
  if (lowerCaseProxies.includes(name)) return true;
  return isSettingsKey(name) || (name.endsWith(fileSuffix) && isSettingsKey(name.slice(0, -fileSuffix.length)));
}

function withoutEmpty(texts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ""),
  );
}

/** The names and texts of an env file: the one that was asked for, or `.env` where there is one. */
function readEnvFile(
  path: string | undefined,
  outer: Readonly<Record<string, string>>,
  problems: Problem[],
): Record<string, string> {
  try {
    const content = readFileSync(path ?? ".env", "utf8");
    const texts = parse(content);
    problems.push(...cutTexts(content, texts), ...deadLines(content, { ...outer, ...texts }));
    // As a console of Windows writes and appends.
    if (content.includes("\0")) problems.push({ key: "--env-file", found: "UTF-16 text", wanted: "a file in UTF-8" });
    return texts;
  } catch (error) {
    const code = systemCode(error);
    if (path !== undefined || code !== "ENOENT")
      problems.push({ key: "--env-file", found: `${path ?? ".env"} (${code})`, wanted: "a file that can be read" });
    return {};
  }
}

/**
 * A # in a value that has no quotes begins a comment there, and the rest is silently gone: half a password, or none, is a
 * riddle for hours.
 */
function cutTexts(content: string, texts: Readonly<Record<string, string>>): Problem[] {
  const lines = content.matchAll(/^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=(?:[ \t]*([^\s#'"`][^\n#]*)#|#(?=\S))/gm);
  return [...lines].flatMap(([, name = "", before = ""]) => {
    const isCut = texts[name] === before && !/\s$/.test(before);
    return isCut ? [{ key: name, found: "a # inside a value without quotes", wanted: `quotes: ${name}='…#…'` }] : [];
  });
}

/** Lines such as `- STORE_URL=…` and `STORE_URL …`, which set nothing: the parser silently ignores them. */
function deadLines(content: string, texts: Readonly<Record<string, string>>): Problem[] {
  return Object.keys(keys).flatMap((key) => {
    const line = new RegExp(`^(?![ \\t]*(?:#|;|//))(?:[^#=\\n]*[^\\w.#=\\n-])?${key}(?![\\w.-])`, "m");
    if (texts[key] !== undefined || !line.test(content)) return [];
    return [{ key, found: "a line that sets nothing", wanted: `${key}=… and nothing before it` }];
  });
}

/** What a program that svcsync starts gets of the environment: where programs are, and nothing that could be a secret. */
export function childEnvironment(): Readonly<Record<string, string>> {
  const { PATH } = process.env;
  return PATH === undefined ? {} : { PATH };
}

/** The operating system's word for what went wrong: ENOENT, EACCES, EISDIR. */
function systemCode(error: unknown): string {
  return codeOf(error) ?? String(error);
}

/** How systemd wants to hear from this process, see sd_notify(3). */
export interface NotifyAccess {
  /** The path of its socket, or its name after an @. */
  readonly socket: string;
  /** Silence for so long makes systemd restart this process; undefined without WatchdogSec=. */
  readonly watchdogMs: number | undefined;
}

/** Undefined where no service manager listens. */
export function notifyAccess(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): NotifyAccess | undefined {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC, WATCHDOG_PID } = environment;
  if (socket === undefined || socket === "") return undefined;
  const isForUs = WATCHDOG_PID === undefined || WATCHDOG_PID === String(process.pid);
  const watchdogMs = Number(WATCHDOG_USEC ?? Number.NaN) / 1_000;
  return { socket, watchdogMs: isForUs && watchdogMs > 0 ? watchdogMs : undefined };
}

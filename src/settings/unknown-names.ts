import { nearest } from "#model";
import type { EnvironmentProblem } from "./problem.ts";
import { isSettingsKey, keys, ownPrefixes } from "./schema/schema.ts";

const fileSuffix = "_FILE";
export const lowerCaseProxies: readonly string[] = ["https_proxy", "http_proxy", "no_proxy"];

/**
 * Names that are probably meant for svcsync but unknown. In the process environment, only near misses count, because container platforms
 * add variables of their own (`QUEUE_SERVICE_HOST`). A name without one of our prefixes may belong to an ERP (`SFTP_URL`), so it must be a
 * slip of one of our keys.
 */
export function unknownNames(inFile: readonly string[], outside: readonly string[]): EnvironmentProblem[] {
  const known = Object.keys(keys);
  const names = new Set([...inFile, ...outside]);
  return [...names].flatMap((name) => {
    if (isKnown(name) || /\s/.test(name)) return [];
    const isOurs = ownPrefixes.some((prefix) => name.startsWith(prefix));
    const near = isOurs ? nearest(name, known) : known.find((key) => isSlip(name, key));
    if (near === undefined && !(isOurs && inFile.includes(name))) return [];
    const meant = (isOurs ? longer(name, known) : undefined) ?? near ?? meantBy(name, inFile.includes(name));
    const wanted = meant === undefined ? "a key of .env.example" : `a key of .env.example: did you mean ${meant}?`;
    return [{ key: name, found: "an unknown key", wanted }];
  });
}

/** Whether Kubernetes set the variable: for a service called queue it sets `QUEUE_PORT=tcp://10.0.0.1:6379` in each pod. */
export function isServiceLink(name: string, text: string): boolean {
  return name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(text);
}

/**
 * Whether the name is a key with a letter left out, doubled or swapped with its neighbour, or in lower case. Nothing else is called that.
 */
function isSlip(name: string, key: string): boolean {
  if (name.toUpperCase() === key) return true;
  let at = 0;
  while (at < name.length && name[at] === key[at]) at++;
  const [rest, wanted] = [name.slice(at), key.slice(at)];
  const isLeftOut = rest === wanted.slice(1) && wanted[0] !== "_";
  const isDoubled = rest.slice(1) === wanted && rest[0] === key[at - 1];
  return isLeftOut || isDoubled || rest === `${wanted[1]}${wanted[0]}${wanted.slice(2)}`;
}

export function isKnown(name: string): boolean {
  if (lowerCaseProxies.includes(name)) return true;
  return isSettingsKey(name) || (name.endsWith(fileSuffix) && isSettingsKey(name.slice(0, -fileSuffix.length)));
}

/** The only key of which the name is the beginning, such as POLL_INTERVAL_SECONDS for POLL_INTERVAL. */
function longer(name: string, known: readonly string[]): string | undefined {
  const longer = known.filter((key) => key.startsWith(name));
  return longer.length === 1 ? longer[0] : undefined;
}

/** Finds names of the process environment that are a key of ours but for blanks: `SERVICE_URL ` sets nothing. */
export function blankNames(outside: readonly string[]): EnvironmentProblem[] {
  return outside.flatMap((name) => {
    if (!/\s/.test(name)) return [];
    const meant = [name.trim(), name.trim().replace(/\s+/g, "_")].find(isKnown);
    if (meant === undefined) return [];
    return [{ key: meant, found: `the name ${JSON.stringify(name)} with a blank in it`, wanted: `the name ${meant}` }];
  });
}

/** Names that other programs give to what svcsync calls otherwise, and that a process seldom has by chance. */
const commonNames: readonly (readonly [name: RegExp, key: keyof typeof keys])[] = [
  [
    /^(REDIS|REDISCLOUD|VALKEY|BROKER|RABBITMQ|AMQP)_?(TLS_)?(URL|URI|ADDR(ESS)?|HOST|CONNECTION(_STRING)?)$/,
    "QUEUE_URL",
  ],
  [/^(DATABASE|DB|POSTGRES|POSTGRESQL|PG|SQLITE|MYSQL)_?(URL|URI|DSN|CONNECTION(_STRING)?)$/, "STORE_URL"],
  [/^(API|AUTH|ACCESS|BEARER|REST)_?(KEY|TOKEN)$|^(API|REST)_(ACCESS_|AUTH_)?(KEY|TOKEN)$|^TOKEN$/, "SERVICE_TOKEN"],
  [/^(API|REST|TENANT|REST_?API)_?(BASE_?)?(URL|URI|HOST|ENDPOINT)$/, "SERVICE_URL"],
  [/^(API|REST)_?(USER(NAME)?|LOGIN)$/, "SERVICE_USERNAME"],
  [/^(API|REST)_?(PASSWORD|PASSWD|PASS|SECRET)$/, "SERVICE_PASSWORD"],
  [/^(SLACK|TEAMS|MATTERMOST|DISCORD|CHAT)_(WEBHOOK_)?URL$/, "NOTIFY_CHAT_URL"],
  [/^(HEALTHCHECKS?|DEADMANS?|UPTIME|PING)(_PING)?_URL$/, "HEARTBEAT_URL"],
];

/** Names that a process may have for other programs: they mean something only in an env file of svcsync. */
const commonNamesOfFiles: typeof commonNames = [
  [/^BASE_?(URL|URI)$/, "SERVICE_URL"],
  [/^((HTTP|LISTEN|SERVER|APP)_)?PORT$/, "HEALTH_PORT"],
  [/^(LISTEN|BIND)_?(HOST|ADDR(ESS)?)$/, "HEALTH_HOST"],
  [/^(CONFIG|CONFIGURATION|MAPPING)(_FILE|_PATH)?$/, "SYNC_FILE"],
  [/^(VERBOSITY|LOGGING_LEVEL|LOGLEVEL)$/, "LOG_LEVEL"],
  [/^(MAIL|EMAIL|MAILER)_?(URL|DSN|HOST|SERVER)$/, "SMTP_URL"],
  [/^(MAIL|EMAIL)_(TO|RECIPIENTS?)$|^ADMIN_E?MAIL$/, "NOTIFY_EMAIL_TO"],
  [/^WEBHOOK_URL$/, "NOTIFY_WEBHOOK_URL"],
  [/^((TLS|SSL)_)?CA_?(BUNDLE|CERTS?|FILE)$|^SSL_CERT_FILE$/, "SERVICE_CA_FILE"],
  [/^(INTERVAL|POLL(ING)?|SYNC)_?(INTERVAL|EVERY|SECONDS|MS)(_SECONDS|_MS)?$/, "POLL_INTERVAL_SECONDS"],
  [/^(DATA|STATE|STORAGE|VOLUME)_?(DIR(ECTORY)?|PATH|FOLDER|ROOT)$/, "DATA_DIR"],
];

/** Variables that Kubernetes sets for each service of a namespace, whatever the service is called. */
const serviceLink = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;

/** The key that a name may stand for which svcsync does not read; undefined for names of other programs. */
export function meantBy(name: string, isInFile: boolean): string | undefined {
  if (isKnown(name) || serviceLink.test(name)) return undefined;
  const plain = name
    .trim()
    .toUpperCase()
    .replace(/^SVCSYNC_?/, "");
  const known = Object.keys(keys);
  return (
    known.find((key) => letters(key) === letters(plain)) ??
    [...commonNames, ...(isInFile ? commonNamesOfFiles : [])].find(([pattern]) => pattern.test(plain))?.[1] ??
    (looksLikeOurs(name) ? (longer(plain, known) ?? nearest(plain, known)) : undefined)
  );
}

function letters(text: string): string {
  return text.replace(/[^A-Z0-9]/g, "");
}

/** Whether the name begins like our keys, though svcsync does not read it. */
export function looksLikeOurs(name: string): boolean {
  if (isKnown(name) || serviceLink.test(name)) return false;
  return ["SVCSYNC_", ...ownPrefixes].some((prefix) => name.toUpperCase().startsWith(prefix));
}

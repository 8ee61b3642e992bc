import { z } from "zod";
import { MINUTE_MS, duration } from "#model";
import { FORMER_SYNC_FILE, NEW_SYNC_FILE } from "../sync-file-place.ts";
import { optional, secretKey, withDefault } from "./key.ts";
import {
  address,
  folder,
  hostList,
  longToken,
  membersList,
  oneOf,
  orNone,
  seconds,
  anyText,
  wholeNumber,
  yesOrNo,
} from "./values.ts";

/** The sync file and the folder for data. */
export const fileKeys = {
  DATA_DIR: withDefault(
    folder,
    "data",
    "The folder of the store. Keep it on a disk that survives the container, and back it up.",
  ),
  SYNC_FILE: optional(
    anyText,
    NEW_SYNC_FILE,
    `The sync file: which records svcsync reads and what it writes. Unset: ${NEW_SYNC_FILE} or, where that is missing, ${FORMER_SYNC_FILE}.`,
  ),
};

export const storeKeys = {
  STORE_URL: secretKey(
    address(["postgres", "postgresql"]),
    "postgres://svcsync:password@db.example.com/svcsync?sslmode=verify-full",
    "A PostgreSQL database for the store. Unset: svcsync.db in DATA_DIR. To change it, use 'svcsync move'; otherwise the new store is empty.",
  ),
  STORE_SCHEMA: withDefault(
    z
      .string()
      .regex(
        /^(?!public$|pg_)[a-z_][a-z0-9_]{0,62}$/,
        "a name of a-z, 0-9 and _ that is not public and does not begin with pg_",
      ),
    "svcsync",
    "The schema of the store in the database of STORE_URL, used by nothing else. Two installations on one database need two.",
  ),
  STORE_SHARED: withDefault(
    yesOrNo,
    "false",
    "true where several svcsync run: each refuses to start without STORE_URL and QUEUE_URL, because with a store of its own it would create every record again.",
  ),
};

export const queueKeys = {
  QUEUE_URL: secretKey(
    address(["redis", "rediss", "unix", "redis+sentinel", "rediss+sentinel", "postgres", "postgresql"]),
    "redis://localhost:6379",
    "Where the queue runs: redis://, rediss:// (TLS), unix:///path (a socket), redis+sentinel://host:26379,host:26379/mymaster (Redis Sentinel), postgres://. Unset: svcsync starts its own redis-server or valkey-server where one is on the PATH, else its queue is in-process. For production, set it. Daemons that share a store (STORE_URL) deliver together if they also share a queue.",
  ),
};

export const pollingKeys = {
  POLL_INTERVAL_SECONDS: withDefault(
    seconds(0.1, 86_400),
    "30",
    "Pause between two polls of a stream, in seconds. A stream may have its own in the sync file.",
  ),
  SOURCE_FORMER: optional(
    membersList,
    "3f9c0a1b2c3d",
    "Sources that were moved: the ids that E_SOURCE_OTHER names, with a comma between two. The source at its new place counts as the same.",
  ),
  SWEEP_INTERVAL_SECONDS: withDefault(
    seconds(1, 31_536_000),
    "86400",
    "Pause between two sweeps (reads of all keys, to notice deletions), in seconds. A deletion needs two.",
  ),
  DELETE_GUARD_PERCENT: withDefault(
    wholeNumber(0, 100),
    "5",
    "Deletions of more than this share of a stream's records within a day wait for confirmation, in percent.",
  ),
  DELETE_GUARD_COUNT: withDefault(
    wholeNumber(0, 10_000_000),
    "50",
    "Deletions of more than this many records of a stream within a day wait for confirmation.",
  ),
  DELETE_GUARD_FLOOR: withDefault(
    wholeNumber(0, 10_000_000),
    "2",
    "Up to this many deletions of a stream within a day never wait for confirmation, whatever their share.",
  ),
};

export const deliveryKeys = {
  CHANGE_GUARD_PERCENT: withDefault(
    wholeNumber(0, 100),
    "10",
    "A changed mapping that would update more than this share of a stream's records holds the stream until you confirm it, in percent. 100 turns this off.",
  ),
  CHANGE_GUARD_COUNT: withDefault(
    wholeNumber(0, 10_000_000),
    "50",
    "A changed mapping that would update at most this many records of a stream never holds it, whatever their share.",
  ),
  MASS_GUARD_PERCENT: withDefault(
    wholeNumber(0, 100),
    "25",
    "Changes in the ERP that would update more than this share of a stream's bound records at once wait until you confirm them, in percent. 100 turns this off.",
  ),
  MASS_GUARD_COUNT: withDefault(
    wholeNumber(0, 10_000_000),
    "50",
    "Changes in the ERP that would update at most this many bound records of a stream at once never wait, whatever their share.",
  ),
  DELIVERY_LEASE_SECONDS: withDefault(
    seconds(1, 86_400),
    "120",
    "After how long without a sign of life another worker may take over a record, in seconds.",
  ),
  RETRY_BASE_SECONDS: withDefault(
    seconds(0.001, 3600),
    "5",
    "Pause after a record's first failed attempt, in seconds; it doubles with each further one.",
  ),
  RETRY_MAX_SECONDS: withDefault(seconds(0.001, 604_800), "3600", "Longest pause between two attempts, in seconds."),
  RETRY_ATTEMPTS: withDefault(
    wholeNumber(1, 1000),
    "12",
    "Failed attempts after which a record is parked. Waiting for a busy or unreachable service does not count.",
  ),
  SETTLE_LAG_SECONDS: withDefault(
    seconds(0, 86_400),
    "60",
    "How long the service's lists may lag behind, in seconds. Only after this time does a create without an answer count as not executed.",
  ),
  STOP_GRACE_SECONDS: withDefault(
    seconds(0, 3600),
    "20",
    "How long a stop waits for running deliveries, in seconds; closing takes up to 15 more. Keep the sum below the container's grace period.",
  ),
  AUDIT_KEEP_DAYS: withDefault(wholeNumber(1, 36_500), "90", "How long the history of writes is kept, in days."),
};

/** Access for ERPs that report changes. */
export const nudgeKeys = {
  NUDGE_TOKEN: secretKey(
    longToken,
    "made with: openssl rand -hex 24",
    "A token for POST /nudge/STREAM on HEALTH_PORT (Authorization: Bearer), with which the ERP requests a poll of a stream. Unset: the address does not exist.",
  ),
  NUDGE_FLOOR_SECONDS: withDefault(
    seconds(0.1, 86_400),
    "1",
    "Nudges and notifications poll a stream at most this often, in seconds.",
  ),
};

export const healthKeys = {
  HEALTH_PORT: withDefault(
    wholeNumber(0, 65_535),
    "8080",
    "Port of health, metrics and the status page; 0 takes any free one.",
  ),
  HEALTH_HOST: withDefault(
    anyText,
    "127.0.0.1",
    "Address that the port listens on. On any but a loopback address the page needs credentials, see PAGE_TOKEN; health and metrics need none.",
  ),
  HEALTH_NAMES: optional(
    hostList,
    "svcsync.example.com",
    "Host names of the page in addition to localhost, HEALTH_HOST and plain IP addresses, comma-separated: those of a proxy or of a container. Requests to other names are refused.",
  ),
};

export const statusKeys = {
  BLOCKED_RECORDS: withDefault(
    oneOf(["note", "problem"]),
    "note",
    "Records that wait for a parent which will not come (the ERP deleted it, or the rules leave it out): note shows them in amber and exits with 0; problem counts them as records that need attention.",
  ),
};

export const logKeys = {
  LOG_LEVEL: withDefault(
    oneOf(["debug", "info", "warn", "error"]),
    "info",
    "The lowest level that is logged: debug (each record), info (each batch), warn (heals itself) or error (needs attention).",
  ),
  LOG_FORMAT: withDefault(
    oneOf(["json", "pretty", "auto"]),
    "auto",
    "json, pretty, or auto: pretty on a terminal, otherwise json.",
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    address(["http", "https"]),
    "http://otel-collector:4318",
    "Address of an OpenTelemetry collector (OTLP over HTTP): each change of a record becomes a trace, from its poll to the answers of the service. Headers come from OTEL_EXPORTER_OTLP_HEADERS in the process environment.",
  ),
};

/** An interval for work that takes minutes: with a shorter one, the daemon would do nothing else. */
function atLeast(minMs: number, spelling: string) {
  const wanted = `none, or a duration of at least ${spelling} such as 12h or 7d`;
  return orNone(
    duration.refine((ms) => ms >= minMs, wanted),
    wanted,
  );
}

/** Scheduled maintenance of the store. */
export const careKeys = {
  BACKUP_EVERY: withDefault(
    atLeast(10 * MINUTE_MS, "10m"),
    "none",
    "How often the daemon copies the store and verifies the copy, at least 10m, for example 12h or 1d; none for never.",
  ),
  BACKUP_KEEP: withDefault(wholeNumber(1, 1000), "7", "How many verified copies are kept; older ones are deleted."),
  BACKUP_DIR: optional(
    anyText,
    "/backups",
    "The folder of the copies, best on another disk. It must exist. Default: the folder backups in DATA_DIR.",
  ),
  RECONCILE_EVERY: withDefault(
    atLeast(60 * MINUTE_MS, "1h"),
    "none",
    "How often the daemon compares the service with what was written, at least 1h, for example 7d; it only reports. none for never.",
  ),
};

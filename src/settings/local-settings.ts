import type { Environment } from "./environment.ts";
import { notifySettings } from "./notify-settings.ts";
import { compared, needs, type EnvironmentProblem } from "./problem.ts";
import type { Values } from "./schema/schema.ts";
import type { Secrets } from "./secrets.ts";
import { usualSyncFile } from "./sync-file-place.ts";

/** The interpreted environment, except the service's part, with defaults. Enough for commands that never call the service. */
export type LocalSettings = Readonly<ReturnType<typeof localSettings>>;

/** Interprets all keys except the service's. */
export function localSettings(
  values: Values,
  { texts: environment, secretFiles }: Pick<Environment, "texts" | "secretFiles">,
  problems: EnvironmentProblem[],
) {
  problems.push(
    ...compared(values, "RETRY_BASE_SECONDS", "at most", "RETRY_MAX_SECONDS"),
    // A lease shorter than one request could expire under a healthy worker, and another worker would then take the record.
    ...compared(values, "DELIVERY_LEASE_SECONDS", "more than", "SERVICE_CALL_TIMEOUT_SECONDS"),
  );
  checkBackups(values, problems);
  checkShared(values, problems);
  return {
    dataDir: values.DATA_DIR,
    syncFile: values.SYNC_FILE ?? syncFileOf(problems),
    /** The schema of a store in PostgreSQL, whose address is a secret. Without an address, the store is a file in `dataDir`. */
    store: { schema: values.STORE_SCHEMA },
    queue: { kind: queueKind(values.QUEUE_URL) },
    delivery: {
      leaseMs: values.DELIVERY_LEASE_SECONDS,
      retryBaseMs: values.RETRY_BASE_SECONDS,
      retryMaxMs: values.RETRY_MAX_SECONDS,
      /** How many failed attempts park a record. */
      retryAttempts: values.RETRY_ATTEMPTS,
      /** How long the service's search index may lag, in milliseconds, before a create with an unknown result counts as not done. */
      settleMs: values.SETTLE_LAG_SECONDS,
      stopGraceMs: values.STOP_GRACE_SECONDS,
      /** How many days audit entries are kept. */
      auditKeepDays: values.AUDIT_KEEP_DAYS,
    },
    polling: {
      intervalMs: values.POLL_INTERVAL_SECONDS,
      sweepIntervalMs: values.SWEEP_INTERVAL_SECONDS,
      nudgeFloorMs: values.NUDGE_FLOOR_SECONDS,
      /** The ids of former sources whose data is now read at another place. */
      formerSources: values.SOURCE_FORMER ?? [],
    },
    /** A stream's deletions within a day above either limit wait for confirmation; up to `floor` they never do. */
    guard: { percent: values.DELETE_GUARD_PERCENT, count: values.DELETE_GUARD_COUNT, floor: values.DELETE_GUARD_FLOOR },
    /** A changed mapping that would update more than both limits holds its stream. */
    changeGuard: { percent: values.CHANGE_GUARD_PERCENT, count: values.CHANGE_GUARD_COUNT },
    /** A round of changes in the ERP that would update more bound records than both limits is held. */
    massGuard: { percent: values.MASS_GUARD_PERCENT, count: values.MASS_GUARD_COUNT },
    health: { port: values.HEALTH_PORT, host: values.HEALTH_HOST, names: values.HEALTH_NAMES ?? [] },
    /** Who may see the page without the token or a user, which are secrets. */
    page: {
      proxy: pageProxy(values, problems),
      isPublic: values.PAGE_PUBLIC === "read",
      probes: values.HEALTH_PUBLIC,
      servicePage: values.SERVICE_PAGE_URL,
    },
    /** How to treat records that wait for a parent which will not come. */
    blockedRecords: values.BLOCKED_RECORDS,
    notify: notifySettings(values, problems),
    /** Where traces are sent; undefined: nowhere. */
    tracesUrl: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    /** Scheduled maintenance of the store; an undefined interval means never. */
    care: {
      backupEveryMs: values.BACKUP_EVERY,
      backupKeep: values.BACKUP_KEEP,
      backupDir: values.BACKUP_DIR,
      reconcileEveryMs: values.RECONCILE_EVERY,
    },
    log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT },
    /** The whole environment, for `${NAME}` in the sync file. Never log it: values count as secrets. */
    environment,
    /** The files that variables were read from, by the variable's name. */
    secretFiles,
  };
}

/** Of two files, one may be left from an earlier version: taking either could write with a mapping that is not meant. */
function syncFileOf(problems: EnvironmentProblem[]): string {
  const { path, both } = usualSyncFile();
  const wanted = "one of them: move the other one away, or set SYNC_FILE to the right one";
  if (both !== undefined) problems.push({ key: "SYNC_FILE", found: `two sync files, ${both}`, wanted });
  return path;
}

/** A proxy's header is only trusted together with the addresses that may send it, because anyone can send the header. */
function pageProxy(values: Values, problems: EnvironmentProblem[]) {
  const { PAGE_PROXY_HEADER: header, PAGE_PROXY_ADDRESSES: addresses, PAGE_PROXY_ROLE: role } = values;
  if (header !== undefined && addresses !== undefined) return { header, addresses, role };
  const wanted = "both PAGE_PROXY_HEADER and PAGE_PROXY_ADDRESSES, or neither";
  problems.push(
    ...needs(values, "PAGE_PROXY_HEADER", "PAGE_PROXY_ADDRESSES", wanted),
    ...needs(values, "PAGE_PROXY_ADDRESSES", "PAGE_PROXY_HEADER", wanted),
  );
  return undefined;
}

function queueKind(url: string | undefined): "redis" | "postgres" | "own" {
  if (url === undefined) return "own";
  return url.startsWith("postgres") ? "postgres" : "redis";
}

/** Backups copy a store in SQLite only, so no interval may be set with STORE_URL. */
function checkBackups(values: Values, problems: EnvironmentProblem[]): void {
  if (values.STORE_URL === undefined || values.BACKUP_EVERY === undefined) return;
  const wanted = "none beside STORE_URL; back the database up by its own tools, such as pg_dump";
  problems.push({ key: "BACKUP_EVERY", found: "an interval", wanted });
}

/** Daemons that each have a store, or a queue that the others cannot reach, must not start. */
function checkShared(values: Values, problems: EnvironmentProblem[]): void {
  if (!values.STORE_SHARED) return;
  const missing = (["STORE_URL", "QUEUE_URL"] as const).filter((key) => values[key] === undefined);
  const wanted = "the address that all svcsync share, because STORE_SHARED is true";
  problems.push(...missing.map((key) => ({ key, found: "nothing", wanted })));
}

/** The location of the store: a database and a schema in it, or the folder of its file. */
export function storeLocation(
  { dataDir, store }: Pick<LocalSettings, "dataDir" | "store">,
  { storeUrl }: Pick<Secrets, "storeUrl">,
): string | { readonly url: string; readonly schema: string } {
  return storeUrl === undefined ? dataDir : { url: storeUrl, schema: store.schema };
}

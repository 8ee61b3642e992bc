import { stat } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { sleep, splitKey, systemClock } from "#model";
import { noCounts, openStore, type HistoryHour } from "#store";
import { silentLogger } from "../kit/logger.ts";
import { DaemonProcess } from "./daemon-process.ts";
import type { Sizes } from "./figures.ts";
import { load, STREAMS, type Loaded } from "./loaded.ts";
import { measured, type Figure, type Measured } from "./runs.ts";

const MEGABYTE = 1024 * 1024;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const HOURS = 24;
/** So long is what each stream did kept. */
const HISTORY_DAYS = 400;
const CHANGES_A_DAY = 1_000;
const YEAR_DAYS = 365;
/** So many changes are far enough apart for each to be a poll and a line of the log of its own, as over a day. */
const APART_MS = 11_000;
const SETTLE_MS = 30_000;
const IDLE_MS = 60_000;

/** Each stream, its table, and a text of it that is delivered. */
const texts = [
  { stream: "customers", table: "customers", column: "short_name" },
  { stream: "contacts", table: "contacts", column: "email" },
  { stream: "tickets", table: "tickets", column: "subject" },
  { stream: "orders", table: "service_orders", column: "reference" },
] as const;

/** What a day writes: a log at level info, the audit, the history. From changes one at a time, and a time without any. */
export async function measureDay({ small, dayChanges }: Sizes): Promise<Figure[]> {
  await using loaded = await load(small, { pollSeconds: 1 });
  const store = join(loaded.folder, "data/svcsync.db");
  const before = tablesOf(store);
  const day = await dayOf(loaded, store, dayChanges);
  const after = tablesOf(store);
  const audits = after.auditCount - before.auditCount;
  if (audits < dayChanges) throw new Error(`${audits} of ${dayChanges} changes were delivered`);
  const history = await historyBytes(join(loaded.folder, "data"), store);
  const figures: Measured[] = [
    { what: "store after a first load, bytes a record", value: before.bytes / small },
    { what: `log of a day with ${CHANGES_A_DAY} changes, KB`, value: day.logBytes / 1024 },
    { what: "  of these without any change, KB", value: day.idleLogBytes / 1024 },
    {
      what: `audit of a year with ${CHANGES_A_DAY} changes a day, MB`,
      value: ((before.auditBytes / before.auditCount) * CHANGES_A_DAY * YEAR_DAYS) / MEGABYTE,
    },
    {
      what: `history of ${HISTORY_DAYS} days, ${STREAMS} streams, ${HISTORY_DAYS * HOURS * STREAMS} rows, MB`,
      value: history / MEGABYTE,
      digits: 1,
    },
  ];
  return await measured(1, async () => figures);
}

/** Bytes of the log, from so many changes and from a time without any, as a day would have them. */
async function dayOf(loaded: Loaded, store: string, changes: number) {
  const log = join(loaded.folder, "day.log");
  await using daemon = new DaemonProcess(["run", "--env-file", loaded.envFile], log);
  await sleep(SETTLE_MS);
  const size = async () => (await stat(log)).size;
  const idleFrom = await size();
  await sleep(IDLE_MS);
  const idleLogBytes = (((await size()) - idleFrom) / IDLE_MS) * DAY_MS;
  const from = await size();
  for (let change = 0; change < changes; change++) {
    changeOne(loaded, store, change);
    await sleep(APART_MS);
  }
  await sleep(APART_MS);
  const perChange = ((await size()) - from) / changes - (idleLogBytes / DAY_MS) * APART_MS;
  await daemon[Symbol.asyncDispose]();
  return { logBytes: perChange * CHANGES_A_DAY + idleLogBytes, idleLogBytes };
}

/** Changes a text of a record that the service has. */
function changeOne({ erp }: Loaded, store: string, at: number): void {
  const { stream, table, column } = texts[at % texts.length]!;
  const db = new Sqlite(store, { readonly: true });
  const key = db
    .prepare<[string, number], string>(
      "SELECT r.key FROM records r JOIN bindings b ON b.record = r.id WHERE r.stream = ? AND r.state = 'applied' LIMIT 1 OFFSET ?",
    )
    .pluck()
    .get(stream, at);
  db.close();
  erp.change(table, splitKey(key ?? ""), { [column]: `changed at ${new Date().toISOString()}` });
}

/** The bytes of the store's tables with their indexes, and the entries of the audit. */
function tablesOf(file: string) {
  const db = new Sqlite(file, { readonly: true });
  try {
    const bytesOf = (where: string) =>
      db.prepare<[], number>(`SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE ${where}`).pluck().get() ?? 0;
    const auditCount = db.prepare<[], number>("SELECT count(*) FROM audit").pluck().get() ?? 0;
    return { bytes: bytesOf("true"), auditBytes: bytesOf("name LIKE 'audit%'"), auditCount };
  } finally {
    db.close();
  }
}

/** What the history of all hours that are kept takes: each stream was polled twice a minute and delivered some changes. */
async function historyBytes(dataDir: string, file: string): Promise<number> {
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const hours: HistoryHour[] = [];
  for (let hour = 0; hour < HISTORY_DAYS * HOURS; hour++)
    for (const { stream } of texts)
      hours.push({
        ...noCounts,
        stream,
        hourAt: now - hour * HOUR_MS,
        polls: 120,
        rowsRead: hour % 200,
        changed: hour % 20,
        updated: hour % 19,
        unchanged: 1,
        requests: 11 + (hour % 19),
        busyMs: 4_000 + hour,
      });
  const before = tablesOf(file).bytes;
  await using store = await openStore(dataDir, { as: "operator", clock: systemClock, logger: silentLogger });
  await store.history.addHistory(hours);
  return tablesOf(file).bytes - before;
}

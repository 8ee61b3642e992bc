import { createReadStream } from "node:fs";
import { platform, release, arch } from "node:os";
import { createInterface } from "node:readline";
import { DAY_MS, systemClock } from "#model";
import { notedGroups, readUpkeep, type NotedGroup } from "#operator";
import { streamStatus, type StreamStatus } from "#pipeline";
import { loadLocalSettings, loadSettings, isSettingsKey, secretTexts, type LocalSettings } from "#settings";
import type { AuditRecord, Store } from "#store";
import type { SyncFile } from "#mapping";
import { version } from "#telemetry";
import { openLocalStore, type GlobalOptions } from "../command-context.ts";
import { daemonWords } from "../output/daemon-words.ts";
import type { Io } from "../output/io.ts";
import { readSyncFileText } from "./sync-file-text.ts";

/** Log lines that are included. */
const LINES = 1_000;

/** One file of the bundle and how it is made. An error from `read` becomes the reason why the file is missing. */
export interface Part {
  readonly name: string;
  /** A text, or a value for JSON. */
  readonly read: () => Promise<unknown>;
}

/** What the parts share. Each value is read once; if that fails, all parts that need it fail with the same reason. */
export interface Parts extends AsyncDisposable {
  readonly parts: readonly Part[];
}

const HISTORY_MS = 30 * DAY_MS;
const AUDIT_ENTRIES = 500;

/** The parts of a bundle, in reading order: the first ones teach the redaction the secrets. */
export function openBundle(options: GlobalOptions & { readonly log?: string }, io: Io): Parts {
  const { log } = options;
  const local = once(() => localSettings(options, io));
  const settings = async () => (await local()).settings;
  const syncFile = once(async () => readSyncFileText(await settings(), io.redaction));
  const store = once(async () => {
    const { settings: own, secrets } = await local();
    return openLocalStore(own, secrets, io);
  });
  const streams = async () => (await syncFile()).syncFile.streams;
  return {
    parts: [
      { name: "versions.json", read: async () => versions() },
      { name: "settings.json", read: async () => settingsView(await settings()) },
      { name: "sync-file.yaml", read: async () => (await syncFile()).text() },
      { name: "service.json", read: async () => loadSettings(options).settings.service },
      { name: "daemon.json", read: async () => ({ words: await daemonWords((await settings()).health) }) },
      { name: "status.json", read: async () => statusOf(await store(), await streams()) },
      { name: "groups.json", read: async () => groupsOf(await store()) },
      { name: "history.json", read: async () => historyOf(await store()) },
      { name: "audit.json", read: async () => auditOf(await store()) },
      { name: "tables.json", read: async () => (await store()).tableCounts() },
      ...(log === undefined ? [] : [{ name: "log.txt", read: () => lastLines(log, io) }]),
    ],
    async [Symbol.asyncDispose]() {
      const opened = await store().catch(() => undefined);
      await opened?.[Symbol.asyncDispose]();
    },
  };
}

async function localSettings(options: GlobalOptions, { redaction }: Io) {
  const loaded = loadLocalSettings(options);
  redaction.hide(...secretTexts(loaded.secrets));
  return loaded;
}

function versions() {
  const { node, v8, openssl } = process.versions;
  const system = { platform: platform(), release: release(), arch: arch() };
  return { svcsync: version, node, v8, openssl, ...system, bundledAt: systemClock.now() };
}

/** What the settings mean, and which keys are set. It contains no raw value of the environment. */
function settingsView({ environment, ...settings }: LocalSettings) {
  const named = Object.keys(environment).filter(
    (name) => isSettingsKey(name) || isSettingsKey(name.replace(/_FILE$/, "")),
  );
  return { ...settings, keysThatAreSet: named.toSorted() };
}

async function statusOf(store: Store, streams: SyncFile["streams"]) {
  const statuses = await streamStatus(store, streams, systemClock);
  return { streams: statuses.map(streamView), ...(await readUpkeep(store)) };
}

/** A stream without the details of its last error, which hold values. */
function streamView({ cursor, ...stream }: StreamStatus) {
  const { error, ...polled } = cursor;
  return {
    ...stream,
    cursor: { ...polled, error: error && { at: error.at, code: error.code, message: error.message } },
  };
}

/** Read from the store alone, so that an invalid sync file does not hide them. */
async function groupsOf(store: Store) {
  const streams = [...(await store.counts()).keys()];
  return { groups: (await notedGroups({ store }, streams)).map(groupView) };
}

/** A group without the error of its first record, whose details hold values. */
function groupView({ error: _error, message, examples, ...group }: NotedGroup) {
  return { ...group, message: withoutQuoted(message), examples: examples.map(({ key }) => key) };
}

async function historyOf(store: Store) {
  return { hours: await store.history.history({ since: systemClock.now() - HISTORY_MS }) };
}

async function auditOf(store: Store) {
  return { entries: (await store.audit({ limit: AUDIT_ENTRIES })).map(auditView) };
}

/** Who did what to which record, without the written values. What was answered to an attempt may quote them, so only its code is left. */
function auditView({ before: _before, after: _after, outcome, ...entry }: AuditRecord) {
  const code = entry.action === "attempt" ? /\((E_\w+)\)$/.exec(outcome)?.[1] : undefined;
  return { ...entry, outcome: code ?? withoutQuoted(outcome) };
}

/** Messages quote values of records. */
function withoutQuoted(text: string): string {
  return text.replace(/"[^"]*"/g, '"…"');
}

/** Reads at the first call; later calls get the same result or the same failure. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined;
  return () => (reading ??= read());
}

/** The last lines of a log: a file, or `-` for stdin. Memory use does not grow with the log. */
async function lastLines(log: string, { stdin }: Pick<Io, "stdin">): Promise<string> {
  const input = log === "-" && stdin !== undefined ? stdin : createReadStream(log);
  const lines: string[] = [];
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    lines.push(`${line}\n`);
    if (lines.length >= 2 * LINES) lines.splice(0, LINES);
  }
  return lines.slice(-LINES).join("");
}

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "#cli";
import { systemClock, type Json } from "#model";
import type { Sandbox } from "#sandbox";
import { openStore, type RecordView } from "#store";
import { openLogger } from "#telemetry";
import { TextSink } from "../journeys/text-sink.ts";
import type { Stage } from "./stage.ts";
import type { Watched } from "./watched-daemon.ts";

export interface Finding {
  readonly what: string;
  readonly text: string;
}

/** The field of a resource that holds the natural key, whole. */
const NATURAL_KEY: Readonly<Record<string, string>> = {
  customer: "customerId",
  customerContact: "info",
  ticket: "erpReferenceNumber",
  svcDocument: "erpReferenceNumber",
};
/** What a stream writes before the ERP's key. */
const PREFIX: Readonly<Record<string, string>> = { incidents: "O-", clients: "R-", partners: "P-", notes: "F-" };
const MAX_RSS = 450 * 2 ** 20;
/** A heap that has grown by more than this between two full collections of one process grows without bounds. */
const MAX_HEAP_GROWTH = 40 * 2 ** 20;
const MAX_LOG_BYTES_PER_MINUTE = 4 * 2 ** 20;
const MAX_LINE = 64 * 2 ** 10;

export function judgeProcess(watched: Watched, lifeMs: number): Finding[] {
  const { stalls, maxRss, collected, logBytes, longestLine, defects } = watched;
  const findings: Finding[] = [
    ...stalls.map(({ at, delayMs, cpuMs }) => ({
      what: "stall",
      text: `the event loop stood still for ${Math.round(delayMs)} ms (${Math.round(cpuMs)} ms of processor time) before ${at}`,
    })),
    ...[...defects].map((text) => ({ what: "defect", text })),
  ];
  if (maxRss > MAX_RSS) findings.push({ what: "memory", text: `${megabytes(maxRss)} resident` });
  const [first, ...later] = collected;
  const growth = Math.max(0, ...later) - (first ?? Infinity);
  if (growth > MAX_HEAP_GROWTH)
    findings.push({ what: "memory", text: `the heap grew from ${collected.map(megabytes).join(" to ")}` });
  if (logBytes > MAX_LOG_BYTES_PER_MINUTE * Math.max(1, lifeMs / 60_000))
    findings.push({ what: "log", text: `${megabytes(logBytes)} of log in ${Math.round(lifeMs / 1_000)} s` });
  if (longestLine > MAX_LINE) findings.push({ what: "log", text: `a line of ${longestLine} characters` });
  return findings;
}

/** Two records of one natural key that were there at the same time, at any moment. */
export function judgeDuplicates({ ledger }: Sandbox): Finding[] {
  const findings: Finding[] = [];
  const live = new Map<string, Set<number>>();
  const keys = new Map<string, string>();
  for (const { resource, id, action, record } of ledger.writes()) {
    const field = NATURAL_KEY[resource];
    if (field === undefined) continue;
    if (action === "create" && record) {
      const key = `${resource} ${JSON.stringify(record[field])}`;
      keys.set(`${resource} ${id}`, key);
      const ids = live.get(key) ?? new Set();
      live.set(key, ids.add(id));
      if (ids.size > 1) findings.push({ what: "duplicate", text: `${key} was created as ${[...ids].join(" and ")}` });
    }
    if (record === undefined) live.get(keys.get(`${resource} ${id}`) ?? "")?.delete(id);
  }
  return findings;
}

export interface StoreFacts {
  readonly findings: Finding[];
  readonly records: number;
  readonly byState: Readonly<Record<string, number>>;
}

/** Bindings that lead to another record than the ERP's key says, and ids that are none. */
export async function judgeStore({ dataDir, sandbox }: Stage): Promise<StoreFacts> {
  const logger = openLogger({ level: "error", format: "json", secrets: [], destination: process.stderr });
  await using store = await openStore(dataDir, { as: "operator", clock: systemClock, logger });
  const findings: Finding[] = [];
  const byState: Record<string, number> = {};
  let records = 0;
  let after: RecordView["id"] | undefined;
  for (;;) {
    const page = await store.records({ limit: 500, ...(after ? { after } : {}) });
    for (const view of page) {
      records += 1;
      byState[view.state] = (byState[view.state] ?? 0) + 1;
      const wrong = wrongBinding(view, sandbox);
      if (wrong) findings.push({ what: "false binding", text: wrong });
    }
    after = page.at(-1)?.id;
    if (page.length < 500) return { findings, records, byState };
  }
}

function wrongBinding({ id, binding }: RecordView, sandbox: Sandbox): string | undefined {
  if (!binding) return undefined;
  const { resource, serviceId } = binding;
  const label = JSON.stringify(`${id.stream}/${id.key}`).slice(0, 200);
  if (!Number.isSafeInteger(serviceId) || serviceId <= 0) return `${label} is bound to ${serviceId}`;
  const record = sandbox.record(resource, serviceId);
  const found: Json | undefined = record?.[NATURAL_KEY[resource] ?? ""];
  // A record that somebody removed proves nothing; a composite key is written as it is joined.
  if (record === undefined) return undefined;
  const expected = `${PREFIX[id.stream] ?? ""}${id.stream === "contacts" ? id.key : unescaped(id.key)}`;
  if (found === expected || (expected === "" && (found === null || found === undefined))) return undefined;
  return `${label} is bound to ${resource} ${serviceId}, which is ${JSON.stringify(found)?.slice(0, 200)}`;
}

const unescaped = (key: string) => key.replaceAll(/\\(.)/gs, "$1");

/** Pages that a person looks at, asked for while the daemon runs. */
export async function readPages(pageUrl: string): Promise<string> {
  const paths = ["/", "/metrics", "/readyz", "/api/status", "/api/records", "/records", "/records?state=parked"];
  const texts = await Promise.all(paths.map((path) => text(`${pageUrl}${path}`)));
  const links = [...texts.join("\n").matchAll(/href="(\/records\/[^"]+)"/g)].map(([, path]) => path!);
  const records = await Promise.all(
    links.slice(0, 10).map((path) => text(`${pageUrl}${path.replaceAll("&amp;", "&")}`)),
  );
  return [...texts, ...records].join("\n");
}

async function text(url: string): Promise<string> {
  try {
    return await (await fetch(url, { signal: AbortSignal.timeout(5_000) })).text();
  } catch {
    return "";
  }
}

/** Secrets in the log, in the store's files, on the pages, or in what a command prints; and what a thief received. */
export async function judgeSecrets(stage: Stage, pages: string): Promise<Finding[]> {
  const files = await readdir(stage.dataDir, { recursive: true, withFileTypes: true });
  const places = new Map<string, string>([
    ["the log", await readFile(stage.logFile, "latin1")],
    ["a page", pages],
  ]);
  for (const file of files)
    if (file.isFile())
      places.set(`the store's ${file.name}`, await readFile(join(file.parentPath, file.name), "latin1"));
  for (const command of [["status"], ["records"], ["status", "--json"]])
    places.set(`svcsync ${command.join(" ")}`, await printed([...command, "--env-file", stage.envFile]));
  const findings: Finding[] = [];
  for (const [place, content] of places)
    for (const [name, secret] of stage.secrets) {
      const at = content.indexOf(secret);
      if (at >= 0)
        findings.push({
          what: "secret",
          text: `${name} in ${place}: …${JSON.stringify(content.slice(Math.max(0, at - 150), at + 20))}`,
        });
    }
  return [
    ...findings,
    ...stage.stolen.map((request) => ({
      what: "secret",
      text: `a request went to another host: ${request.slice(0, 300)}`,
    })),
  ];
}

async function printed(argv: readonly string[]): Promise<string> {
  const stdout = new TextSink();
  const stderr = new TextSink();
  await runCommand(argv, { stdout, stderr, isTerminal: false, signal: new AbortController().signal });
  return stdout.text + stderr.text;
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MB`;
}

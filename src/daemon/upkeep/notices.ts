import { statfs } from "node:fs/promises";
import type { Clock, StreamName } from "#model";
import { Expiries, Notifier, openChannels, SILENCE_SPAN_MS, silentStreams, type NoticeFacts } from "#notify";
import { readGroups, readReturns, type ErrorGroup } from "#operator";
import { streamStatus, type StreamStatus } from "#pipeline";
import type { Queue } from "#queue";
import type { CareStore, GroupStore, HistoryStore } from "#store";
import { version, type Metrics } from "#telemetry";
import type { Closing } from "../closing.ts";
import type { Configuration, Systems } from "../systems/systems.ts";
import { NoticeWatch } from "./notice-watch.ts";

/** Creates the watch that reports changes to people; undefined if the settings name no channel. */
export function openNotices(
  configuration: Configuration,
  { store, service, clock, renewed }: Systems,
  queue: Pick<Queue, "depth">,
  metrics: Pick<Metrics, "notified">,
  closing: Closing,
): NoticeWatch | undefined {
  const { settings, secrets, syncFile, logger, redaction, upkeepEveryMs } = configuration;
  const { notify } = settings;
  const channels = openChannels(notify, { secrets, clock, version });
  if (channels.length === 0) return undefined;
  const notifier = closing.use(
    new Notifier({
      store: store.notices,
      channels,
      policy: notify,
      name: notify.name,
      clock,
      logger,
      redact: redaction.redact,
      sent: metrics.notified,
    }),
  );
  const causes = new Causes(store.groups, clock);
  const silence = new Silence(
    store.history,
    syncFile.streams.map(({ name }) => name),
    notify.silence,
  );
  const expiries = new Expiries({ ...whatExpires(configuration), tokens: () => tokensOf(renewed), clock });
  const read = async (signal: AbortSignal): Promise<NoticeFacts> => {
    const streams = await streamStatus(store, syncFile.streams, clock, ["waiting", ...causeStates]);
    return {
      now: clock.now(),
      streams,
      returns: await readReturns(store.returns, syncFile.returns, clock.now()),
      blockedRecords: settings.blockedRecords,
      groups: await causes.of(streams),
      notes: await store.groups.groupNotes(),
      known: new Set((await store.notices.notices()).map(({ id }) => id)),
      service: service.state(),
      isQueueThere: await queue.depth().then(
        () => true,
        () => false,
      ),
      disk: await freeSpace(settings.dataDir),
      expiries: await expiries.known(signal),
      silent: await silence.of(clock.now()),
      channels: await notifier.states(),
      ...(await careFacts(settings.care, store.care)),
    };
  };
  return new NoticeWatch({
    notifier,
    read,
    policy: notify,
    logger,
    ...(upkeepEveryMs === undefined ? {} : { everyMs: upkeepEveryMs }),
  });
}

async function careFacts({ backupEveryMs, reconcileEveryMs }: Configuration["settings"]["care"], care: CareStore) {
  return {
    backup: backupEveryMs === undefined ? undefined : { state: await care.backupState(), everyMs: backupEveryMs },
    drift: reconcileEveryMs === undefined ? undefined : await care.driftState(),
  };
}

async function freeSpace(path: string): Promise<NoticeFacts["disk"]> {
  try {
    const { bavail, bsize } = await statfs(path);
    return { path, freeBytes: bavail * bsize };
  } catch {
    return undefined;
  }
}

/** With a proxy, no addresses: it hides the servers' certificates. */
function whatExpires({ settings, syncFile }: Configuration) {
  const { service, notify } = settings;
  const urls = service.proxy === undefined ? [service.url, ...syncFile.sources.flatMap(addressOf)] : [];
  const caFiles = [service.caFile, notify.email?.caFile].filter((path) => path !== undefined);
  return { urls, caFiles };
}

function tokensOf({ serviceToken: token }: Systems["renewed"]) {
  return token === undefined ? [] : [{ name: "SERVICE_TOKEN", token }];
}

function addressOf({ settings }: { readonly settings: unknown }): string[] {
  if (typeof settings !== "object" || settings === null || !("url" in settings)) return [];
  return typeof settings.url === "string" ? [settings.url] : [];
}

/** The states whose records are grouped. A status passed to {@link Causes.of} must count them. */
const causeStates = ["parked", "uncertain"] as const;
/** How long causes stay valid while their number is the same, in milliseconds. */
const FRESH_MS = 5 * 60_000;
/** Above this number of records, they are grouped at most once a minute. */
const MANY = 5_000;
const MANY_FRESH_MS = 60_000;

/** Parked and uncertain records by cause. Reads them only when something may have changed, so that a storm is not read again and again. */
class Causes {
  readonly #store: Pick<GroupStore, "held">;
  readonly #clock: Clock;
  #read: { readonly at: number; readonly counts: string; groups: ErrorGroup[] } | undefined;

  constructor(store: Pick<GroupStore, "held">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async of(streams: readonly StreamStatus[]): Promise<readonly ErrorGroup[]> {
    const counted = streams.map(({ counts }) => causeStates.map((state) => counts[state] ?? 0));
    const counts = JSON.stringify(counted);
    const total = counted.flat().reduce((sum, count) => sum + count, 0);
    const now = this.#clock.now();
    const last = this.#read;
    const age = last === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - last.at);
    const isFresh = last?.counts === counts ? age < FRESH_MS : total > MANY && age < MANY_FRESH_MS;
    if (last !== undefined && isFresh) return last.groups;
    const groups = await readGroups(
      this.#store,
      streams.map(({ name }) => name),
      causeStates,
    );
    this.#read = { at: now, counts, groups };
    return this.#read.groups;
  }
}

/** How often the history is read, in milliseconds; it has one entry per hour. */
const EVERY_MS = 10 * 60_000;
/** How many times a limit in days the history must cover. */
const FACTOR = 2;

/** Streams without a change for longer than expected, judged by their history. */
class Silence {
  readonly #store: Pick<HistoryStore, "history">;
  readonly #streams: readonly StreamName[];
  readonly #limit: "auto" | "none" | number;
  #known: { readonly at: number; readonly silent: NoticeFacts["silent"] } | undefined;

  constructor(store: Pick<HistoryStore, "history">, streams: readonly StreamName[], limit: "auto" | "none" | number) {
    this.#store = store;
    this.#streams = streams;
    this.#limit = limit;
  }

  async of(now: number): Promise<NoticeFacts["silent"]> {
    const limit = this.#limit;
    if (limit === "none") return [];
    if (this.#known !== undefined && Math.abs(now - this.#known.at) < EVERY_MS) return this.#known.silent;
    const spanMs = limit === "auto" ? SILENCE_SPAN_MS : FACTOR * Math.max(limit, SILENCE_SPAN_MS);
    const hours = await this.#store.history({ since: now - spanMs });
    this.#known = { at: now, silent: silentStreams(hours, this.#streams, limit, now) };
    return this.#known.silent;
  }
}

import { statfs } from "node:fs/promises";
import { Expiries, Notifier, openChannels, type NoticeFacts } from "#notify";
import { streamStatus } from "#pipeline";
import type { Queue } from "#queue";
import type { CareStore } from "#store";
import type { Metrics } from "#telemetry";
import type { Closing } from "../closing.ts";
import type { Configuration, Systems } from "../systems/systems.ts";
import { version } from "../version.ts";
import { causeStates, Causes } from "./causes.ts";
import { NoticeWatch } from "./notice-watch.ts";
import { Silence } from "./silence.ts";

/** The watch that tells people what changed; undefined where the settings name no channel. */
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
      blockedRecords: settings.blockedRecords,
      groups: await causes.of(streams),
      notes: await store.groups.groupNotes(),
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

/** A certificate behind a proxy cannot be seen. */
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

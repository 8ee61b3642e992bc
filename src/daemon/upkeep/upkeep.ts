import { sleep, untilAborted, type ErrorFacts } from "#model";
import { proxyOf, tellingHttp } from "#notify";
import { AmbiguousRecords, Presence, streamStatus, DuplicateWatch } from "#pipeline";
import { readinessOf } from "#web";
import { version } from "#telemetry";
import type { Closing } from "../closing.ts";
import { readiness, type PagesDeps } from "../page/pages.ts";
import { openCare } from "./care/open-care.ts";
import { Heartbeat, proving } from "./heartbeat.ts";
import { openNotices } from "./notices.ts";

/** Work beside the pipeline, for people. No delivery depends on it. */
export interface Upkeep {
  run(signal: AbortSignal): Promise<void>;
  /**
   * Makes the last comparison, after `run` has ended and while the queue still answers. The returned function follows the last delivery and
   * waits, for a limited time, until the last messages are sent. `stopped`: why the daemon cannot continue.
   */
  finish(stopped: ErrorFacts | undefined): Promise<() => Promise<void>>;
}

export interface UpkeepDeps extends PagesDeps {
  /** False for a single round, which proves its work at its end. */
  readonly isContinuous: boolean;
}

/** How long a stop waits for a dead-man switch that does not answer, in milliseconds. */
const LAST_BEAT_MS = 5_000;

/** Creates the upkeep that the settings enable. */
export function openUpkeep(deps: UpkeepDeps, closing: Closing): Upkeep {
  const { configuration, parts, queue, assembly, metrics, isContinuous } = deps;
  const notices = openNotices(configuration, parts, queue, metrics, closing);
  const heartbeat = openHeartbeat(deps, closing);
  const twins = twinWatch(deps);
  const { syncFile, logger, upkeepEveryMs: everyMs } = configuration;
  const ambiguous = new AmbiguousRecords({ ...parts, logger, everyMs }, syncFile.streams);
  const care = isContinuous
    ? [
        ...openCare(configuration, parts),
        ...[twins, assembly.leftOut, ambiguous].map((each) => (signal: AbortSignal) => each.run(signal)),
      ]
    : [];
  const { stopGraceMs } = configuration.settings.delivery;
  let caring: Promise<void> | undefined;
  return {
    run: async (signal) => {
      caring = endWithin(stopGraceMs, Promise.all(care.map((each) => each(signal))), signal);
      await Promise.all([notices?.run(signal), isContinuous ? heartbeat?.run(signal) : undefined]);
    },
    finish: async (stopped) => {
      const told = await notices?.finish(stopped);
      if (stopped !== undefined || !isContinuous) await heartbeat?.beat(AbortSignal.timeout(LAST_BEAT_MS), stopped);
      return async () => {
        await told?.();
        await caring;
      };
    },
  };
}

/** Resolves when `work` ends, at the latest `graceMs` after the abort: a backup to a hanging disk must not delay the daemon's end. */
async function endWithin(graceMs: number, work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await untilAborted(work, signal).catch(async () => {
    const ended = new AbortController();
    void work.finally(() => ended.abort());
    await sleep(graceMs, ended.signal);
  });
}

function twinWatch({ configuration, parts, assembly }: UpkeepDeps): DuplicateWatch {
  const { settings, syncFile, logger, upkeepEveryMs: everyMs } = configuration;
  const { store, service, clock } = parts;
  const { matcher } = assembly;
  const presence = new Presence(store, service);
  const { settleMs } = settings.delivery;
  return new DuplicateWatch({ store, matcher, presence, streams: syncFile.streams, clock, logger, settleMs, everyMs });
}

function openHeartbeat(deps: UpkeepDeps, closing: Closing): Heartbeat | undefined {
  const { configuration, parts } = deps;
  const { settings, secrets, syncFile, logger, upkeepEveryMs } = configuration;
  const { heartbeatMs } = settings.notify;
  const { heartbeatUrl: url } = secrets;
  if (heartbeatMs === undefined || url === undefined) return undefined;
  const { store, clock } = parts;
  const ready = readinessOf(readiness(deps), clock);
  const proofNow = proving(clock);
  const prove = async () => proofNow(await ready(), await streamStatus(store, syncFile.streams, clock, []));
  const proxy = proxyOf(url, settings.notify, secrets);
  const http = closing.use(tellingHttp({ url, proxy, userAgent: `svcsync/${version}` }));
  const everyMs = upkeepEveryMs ?? heartbeatMs;
  return new Heartbeat({ http, url, everyMs, prove, logger });
}

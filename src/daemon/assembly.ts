import type { StopError, StreamName } from "#model";
import {
  AdoptionGate,
  ApprovedSchedule,
  AskedPolls,
  ChangeGuard,
  MailGuard,
  MassGuard,
  LeftOutRecords,
  Leases,
  type Matcher,
  Nudges,
  Poller,
  PollPauses,
  Relay,
  RestoredRecords,
  StoreAge,
  StreamHolds,
  Sweeper,
  Synchronizer,
  undecidedHold,
  type Approved,
  type Observer,
} from "#pipeline";
import type { Queue, QueueHandlers, QueueLocation } from "#queue";
import type { Secrets, Settings } from "#settings";
import { AdoptionComparison } from "./page/adoption-comparison.ts";
import type { Closing } from "./closing.ts";
import { stateForAll } from "./cluster/state-for-all.ts";
import { Plans } from "./page/plans.ts";
import type { Configuration, Systems } from "./systems/systems.ts";

/**
 * Concurrent deliveries per request that may be in flight. While one delivery waits for its answer, others are mapped or wait for the disk
 * before and after their requests.
 */
export const DELIVERIES_PER_REQUEST = 4;
/** Outstanding wake-ups per concurrent delivery: enough to keep workers busy between two reads of the store. */
const WINDOW_PER_DELIVERY = 16;
const WINDOW_MIN = 128;

/** The connected parts of the pipeline, not yet running. */
export interface Assembly {
  readonly gate: AdoptionGate;
  /** Which streams may deliver. */
  readonly holds: StreamHolds;
  readonly changes: ChangeGuard;
  /** Decides about mass changes in the ERP. */
  readonly rounds: MassGuard;
  /** Decides about first loads that would send mail. */
  readonly mail: MailGuard;
  readonly plans: Plans;
  readonly adoption: AdoptionComparison;
  readonly matcher: Matcher;
  /** Finds records that were left out because the service did not have them. */
  readonly leftOut: LeftOutRecords;
  readonly relay: Relay;
  readonly nudges: Nudges;
  /** Polls requested by people. */
  readonly askedPolls: AskedPolls;
  readonly synchronizer: Synchronizer;
  readonly handlers: QueueHandlers;
  /** Most deliveries to run at once. */
  readonly concurrency: number;
}

/**
 * The queue's location, by QUEUE_URL. `installation` separates daemons that were given the same server by mistake. Each has its own store,
 * so a wake-up that the other one takes would be lost for half a minute.
 */
export function queueLocation(
  { queue, dataDir }: Pick<Settings, "queue" | "dataDir">,
  secrets: Secrets,
  installation?: string,
): QueueLocation {
  if (queue.kind === "own") return { kind: "own", dataDir };
  const url = secrets.queueUrl!;
  return { kind: queue.kind, url, ...(installation === undefined ? {} : { prefix: `svcsync_${installation}` }) };
}

export interface AssemblyDeps {
  readonly configuration: Configuration;
  readonly parts: Systems;
  readonly matcher: Matcher;
  readonly queue: Queue;
  readonly observer: Required<Observer>;
  /** Absent: every record may be delivered. */
  readonly approved?: Approved | undefined;
  /** Called when the daemon cannot continue. */
  readonly fail: (error: StopError) => void;
}

/** Connects the parts of the pipeline. */
export function assemble(
  { configuration, parts, matcher, queue, observer, approved, fail }: AssemblyDeps,
  closing: Closing,
): Assembly {
  const { settings, syncFile, logger, elapsed } = configuration;
  const concurrency = settings.service.concurrency * DELIVERIES_PER_REQUEST;
  const common = { ...parts, logger, observer };
  const streams = new Map(syncFile.streams.map((stream) => [stream.name, stream]));
  const nudge = () => relay.nudge();
  const { settleMs } = settings.delivery;
  const age = new StoreAge({ ...common, queue });
  const restored = new RestoredRecords(common);
  const leftOut = new LeftOutRecords({ ...common, matcher, everyMs: configuration.upkeepEveryMs }, syncFile.streams);
  const gate = new AdoptionGate(
    { ...common, settleMs, matcher, age, restored, leftOut, opened: nudge, stop: fail },
    syncFile.streams,
  );
  const { service, store } = parts;
  const { cluster } = store;
  // In the leader, the gate decides; in other processes, the store has the leader's decision.
  const asDecided = {
    isOpen: (stream: StreamName) => !cluster.state.isLeader || gate.isOpen(stream),
    get isSettled() {
      return gate.isSettled;
    },
  };
  const more = [undecidedHold(parts.store)];
  const holds = new StreamHolds({ ...common, gate: asDecided, more, released: nudge }, [...streams.keys()]);
  const { changeGuard, massGuard, guard } = settings;
  const released = () => void holds.look();
  const openPlanner = () => changes.openPlanner();
  const plans = new Plans({ ...common, changeGuard, openPlanner }, syncFile.streams);
  const plan: typeof plans.count = (...of) => plans.count(...of);
  const changes = new ChangeGuard({ ...common, changeGuard, guard, plan, released, stop: fail }, syncFile.streams);
  const rounds = new MassGuard({ ...common, massGuard, openPlanner, released: nudge, stop: fail }, syncFile.streams);
  const mail = new MailGuard({ ...common, openPlanner, decided: released, stop: fail }, syncFile.streams);
  const adoption = closing.use(new AdoptionComparison({ ...common, matcher }, syncFile.streams));
  const window = Math.max(WINDOW_MIN, concurrency * WINDOW_PER_DELIVERY);
  const relay = new Relay({
    ...common,
    ...(approved && { store: new ApprovedSchedule(parts.store, approved, parts.clock) }),
    service: { state: () => stateForAll(service.state(), cluster.state) },
    queue,
    streams: () => (approved?.isOpen === false ? [] : holds.open()),
    window,
    isShared: () => cluster.state.others > 0,
  });
  const { sweepIntervalMs } = settings.polling;
  const sources = parts.sources.streams;
  const sweeper = new Sweeper({ ...common, streams, sources, intervalMs: sweepIntervalMs });
  const pauses = new PollPauses({
    sourceOf: (stream) => streams.get(stream)?.source ?? stream,
    ...(elapsed ? { elapsed } : {}),
  });
  const poller = new Poller({ ...common, sources, sweeper, pauses, rounds, nudge });
  const leases = closing.use(new Leases(parts.store, settings.delivery.leaseMs));
  const nudges = closing.use(new Nudges({ queue, logger, floorMs: settings.polling.nudgeFloorMs }));
  const askedPolls = new AskedPolls({ ...common, nudges, holds }, [...streams.keys()]);
  const synchronizer = new Synchronizer({
    ...common,
    matcher,
    age,
    leases,
    streams,
    policy: settings.delivery,
    expect: approved?.expect,
    guard,
    close: (stream, error) => gate.close(stream, error),
    stop: fail,
  });
  const handlers: QueueHandlers = {
    deliver: async (id, signal) => {
      // The queue may hold wake-ups from before a restart, for a stream that is now held.
      const isApproved = approved?.mayDeliver(id) !== false;
      if (isApproved && (await holds.mayDeliver(id.stream))) await synchronizer.deliver(id, signal);
      relay.answered(id);
    },
    poll: async (stream, signal) => {
      if (holds.mayPoll(stream)) await poller.poll(stream, signal);
    },
  };
  queue.onForgotten(() => {
    relay.forget();
    // If this fails, the next create compares again.
    age.compare().catch(() => undefined);
  });
  return {
    gate,
    holds,
    changes,
    rounds,
    mail,
    plans,
    adoption,
    matcher,
    leftOut,
    relay,
    nudges,
    askedPolls,
    synchronizer,
    handlers,
    concurrency,
  };
}

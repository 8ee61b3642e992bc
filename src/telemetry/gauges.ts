import { Gauge, type Registry } from "prom-client";
import type { Readings } from "./metrics.ts";

const breakerStates = ["closed", "half-open", "open"] as const;

/** Creates the gauges that are read at each scrape. `set` first clears all of them: a value that was not read is not shown. */
export function openGauges(registry: Registry, version: string): { set(readings: Readings): void } {
  const read: Pick<Gauge, "reset">[] = [];
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) => {
    const made = new Gauge({ name, help, labelNames, registers: [registry] });
    read.push(made);
    return made;
  };
  const records = gauge("svcsync_records", "Records in the store by stream and state.", "stream", "state");
  const lag = gauge("svcsync_cursor_lag_seconds", "Time since a poll of the stream last reached its end.", "stream");
  const held = gauge(
    "svcsync_stream_held",
    "1 while nothing of the stream is delivered, by what holds it: adoption, change (the change guard) or pause.",
    "stream",
    "by",
  );
  const undelivered = gauge(
    "svcsync_undelivered_age_seconds",
    "Time since the oldest change was first seen that is on its way to the service; 0 where none is.",
    "stream",
  );
  const jobs = gauge(
    "svcsync_queue_jobs",
    "Jobs in the queue, each for many records: those that wait and those in flight (active).",
    "state",
  );
  const queueKind = gauge(
    "svcsync_queue_kind",
    "1 for what the queue runs on: redis, postgres, private (a Redis of svcsync's own) or in-process.",
    "kind",
  );
  const breaker = gauge(
    "svcsync_service_breaker",
    "1 for the state that the breaker before the service is in.",
    "state",
  );
  const limit = gauge("svcsync_service_concurrency", "Requests to the service allowed at once now.");
  const hold = gauge("svcsync_service_hold_seconds", "For how long nothing is sent because the service answered 429.");
  const perSecond = gauge(
    "svcsync_service_requests_per_second_limit",
    "Requests per second that the service lets pass; absent while it has not answered 429.",
  );
  const returns = gauge("svcsync_returns", "Returns to the ERP by stream and state.", "stream", "state");
  const unanswered = gauge(
    "svcsync_returns_unanswered_age_seconds",
    "Time since the oldest return that the ERP has not answered was handed over; 0 where none is.",
    "stream",
  );
  const overdue = gauge(
    "svcsync_returns_overdue",
    "1 while the ERP has not answered within the time of `answers.within`.",
    "stream",
  );
  const returnsHeld = gauge(
    "svcsync_returns_stream_held",
    "1 while nothing of the stream is handed over, by what holds it: guard, pause, error or unlisted (gone from the sync file).",
    "stream",
    "by",
  );
  const backup = gauge(
    "svcsync_backup_age_seconds",
    "Time since the last scheduled backup that was opened and checked; absent before the first.",
  );
  const drift = gauge(
    "svcsync_drift",
    "Differences that the last scheduled comparison with the service found.",
    "stream",
    "kind",
  );
  const notices = gauge(
    "svcsync_notifications_waiting",
    "Changes of state that wait for a channel of notifications.",
    "channel",
  );
  const failing = gauge(
    "svcsync_notifications_failing_seconds",
    "Time since a channel of notifications began to take no messages; 0 while it works.",
    "channel",
  );
  const info = { name: "svcsync_info", help: "1, with the version.", labelNames: ["version"], registers: [registry] };
  new Gauge(info).set({ version }, 1);

  return {
    set(readings) {
      for (const each of read) each.reset();
      for (const [stream, states] of readings.records ?? [])
        for (const [state, count] of Object.entries(states)) records.set({ stream, state }, count);
      for (const [stream, ms] of readings.lagMs ?? []) lag.set({ stream }, ms / 1000);
      for (const [stream, kinds] of readings.held ?? []) for (const by of kinds) held.set({ stream, by }, 1);
      for (const [stream, ms] of readings.undeliveredMs ?? []) undelivered.set({ stream }, ms / 1000);
      for (const [state, count] of Object.entries(readings.queue ?? {})) jobs.set({ state }, count);
      for (const [stream, { counts, unansweredMs = 0, isOverdue, heldBy }] of readings.returns ?? []) {
        for (const [state, count] of Object.entries(counts)) returns.set({ stream, state }, count);
        unanswered.set({ stream }, unansweredMs / 1000);
        overdue.set({ stream }, isOverdue ? 1 : 0);
        for (const by of heldBy) returnsHeld.set({ stream, by }, 1);
      }
      if (readings.queueKind !== undefined) queueKind.set({ kind: readings.queueKind }, 1);
      for (const [channel, { waiting, failingMs }] of readings.channels ?? []) {
        notices.set({ channel }, waiting);
        failing.set({ channel }, failingMs / 1000);
      }
      for (const [stream, kinds] of Object.entries(readings.drifts ?? {}))
        for (const [kind, count] of Object.entries(kinds)) drift.set({ stream, kind }, count);
      for (const gauge of [backup, limit, hold, perSecond]) gauge.remove();
      if (readings.backupAgeMs !== undefined) backup.set(readings.backupAgeMs / 1000);
      if (readings.service !== undefined) {
        limit.set(readings.service.concurrency);
        hold.set(readings.service.holdMs / 1000);
        if (readings.service.perSecond !== undefined) perSecond.set(readings.service.perSecond);
        for (const state of breakerStates) breaker.set({ state }, state === readings.service.state ? 1 : 0);
      }
    },
  };
}

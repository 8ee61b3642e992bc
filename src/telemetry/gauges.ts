import { Gauge, type Registry } from "prom-client";
import type { Readings } from "./metrics.ts";

const breakerStates = ["closed", "half-open", "open"] as const;

/** The figures that are read at a scrape. Setting them forgets the last ones: what is not read is not shown. */
export function openGauges(registry: Registry, version: string): { set(readings: Readings): void } {
  const registers = [registry];
  const records = new Gauge({
    name: "svcsync_records",
    help: "Records in the store by stream and state.",
    labelNames: ["stream", "state"],
    registers,
  });
  const lag = new Gauge({
    name: "svcsync_cursor_lag_seconds",
    help: "Time since a poll of the stream last reached its end.",
    labelNames: ["stream"],
    registers,
  });
  const held = new Gauge({
    name: "svcsync_stream_held",
    help: "1 while nothing of the stream is delivered, by what holds it: adoption or pause.",
    labelNames: ["stream", "by"],
    registers,
  });
  const undelivered = new Gauge({
    name: "svcsync_undelivered_age_seconds",
    help: "Time since the oldest change was first seen that is on its way to the service; 0 where none is.",
    labelNames: ["stream"],
    registers,
  });
  const jobs = new Gauge({
    name: "svcsync_queue_jobs",
    help: "Jobs in the queue, each for many records: those that wait and those in flight (active).",
    labelNames: ["state"],
    registers,
  });
  const breaker = new Gauge({
    name: "svcsync_service_breaker",
    help: "1 for the state that the breaker before the service is in.",
    labelNames: ["state"],
    registers,
  });
  const limit = new Gauge({
    name: "svcsync_service_concurrency",
    help: "Requests to the service allowed at once now.",
    labelNames: [],
    registers,
  });
  const hold = new Gauge({
    name: "svcsync_service_hold_seconds",
    help: "For how long nothing is sent because the service answered 429.",
    labelNames: [],
    registers,
  });
  const perSecond = new Gauge({
    name: "svcsync_service_requests_per_second_limit",
    help: "Requests per second that the service lets pass; absent while it has not answered 429.",
    labelNames: [],
    registers,
  });
  const backup = new Gauge({
    name: "svcsync_backup_age_seconds",
    help: "Time since the last scheduled backup that was opened and checked; absent before the first.",
    labelNames: [],
    registers,
  });
  const drift = new Gauge({
    name: "svcsync_drift",
    help: "Differences that the last scheduled comparison with the service found.",
    labelNames: ["stream", "kind"],
    registers,
  });
  const notices = new Gauge({
    name: "svcsync_notifications_waiting",
    help: "Changes of state that wait for a channel of notifications.",
    labelNames: ["channel"],
    registers,
  });
  new Gauge({ name: "svcsync_info", help: "1, with the version.", labelNames: ["version"], registers }).set(
    { version },
    1,
  );

  return {
    set(readings) {
      for (const gauge of [records, lag, held, undelivered, jobs, notices, drift, breaker, limit, hold, perSecond])
        gauge.reset();
      for (const [stream, states] of readings.records ?? [])
        for (const [state, count] of Object.entries(states)) records.set({ stream, state }, count);
      for (const [stream, ms] of readings.lagMs ?? []) lag.set({ stream }, ms / 1000);
      for (const [stream, kinds] of readings.held ?? []) for (const by of kinds) held.set({ stream, by }, 1);
      for (const [stream, ms] of readings.undeliveredMs ?? []) undelivered.set({ stream }, ms / 1000);
      for (const [state, count] of Object.entries(readings.queue ?? {})) jobs.set({ state }, count);
      for (const [channel, count] of readings.notices ?? []) notices.set({ channel }, count);
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

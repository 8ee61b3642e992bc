import { describe, expect, it } from "vitest";
import { openMetrics, type Readings } from "#telemetry";

async function figuresOf(read: () => Promise<Readings>, count?: (metrics: ReturnType<typeof openMetrics>) => void) {
  const metrics = openMetrics({ version: "1.2.3", read });
  count?.(metrics);
  const text = await metrics.text();
  return text.split("\n").filter((line) => line.startsWith("svcsync_") && !line.includes("_bucket"));
}

describe("metrics", () => {
  it("count deliveries, requests and polls", async () => {
    const figures = await figuresOf(
      () => Promise.resolve({}),
      (metrics) => {
        metrics.delivered("customers", "created", 120);
        metrics.delivered("customers", "created", 80);
        metrics.delivered("customers", "parked", 10);
        metrics.requested({ resource: "customer", method: "POST", status: 200, durationMs: 50 });
        metrics.requested({ resource: "customer", method: "PUT", status: undefined, durationMs: 1000 });
        metrics.polled("customers", { rowsRead: 10, changed: 2, durationMs: 100 });
        metrics.pollFailed("tickets");
      },
    );

    expect(figures).toEqual(
      expect.arrayContaining([
        'svcsync_deliveries_total{stream="customers",end="created"} 2',
        'svcsync_deliveries_total{stream="customers",end="parked"} 1',
        'svcsync_delivery_duration_seconds_count{stream="customers"} 3',
        'svcsync_service_request_duration_seconds_count{resource="customer",method="POST",status="200"} 1',
        'svcsync_service_request_duration_seconds_sum{resource="customer",method="PUT",status="none"} 1',
        'svcsync_poll_rows_total{stream="customers",kind="read"} 10',
        'svcsync_poll_rows_total{stream="customers",kind="changed"} 2',
        'svcsync_poll_failures_total{stream="tickets"} 1',
        'svcsync_info{version="1.2.3"} 1',
      ]),
    );
  });

  it("read what is true now at each scrape, and forget what is no longer", async () => {
    const readings: Readings[] = [
      {
        records: new Map([["customers", { due: 3, parked: 1 }]]),
        lagMs: new Map([["customers", 1500]]),
        queue: { waiting: 4, active: 2 },
        queueKind: "in-process",
        channels: new Map([["email", { waiting: 3, failingMs: 90_000 }]]),
        returns: new Map([
          ["reports", { counts: { delivered: 3 }, unansweredMs: 4_000, isOverdue: true, heldBy: ["guard"] }],
          ["status", { counts: {}, unansweredMs: undefined, isOverdue: false, heldBy: [] }],
        ]),
        service: { state: "open", concurrency: 1, holdMs: 2500, perSecond: 39.8 },
      },
      { records: new Map([["customers", { applied: 4 }]]) },
    ];
    const metrics = openMetrics({ version: "1", read: () => Promise.resolve(readings.shift() ?? {}) });

    const first = await metrics.text();
    const second = await metrics.text();

    expect(first).toContain('svcsync_records{stream="customers",state="parked"} 1');
    expect(first).toContain('svcsync_cursor_lag_seconds{stream="customers"} 1.5');
    expect(first).toContain('svcsync_queue_jobs{state="active"} 2');
    expect(first).toContain('svcsync_queue_kind{kind="in-process"} 1');
    expect(first).toContain('svcsync_notifications_waiting{channel="email"} 3');
    expect(first).toContain('svcsync_notifications_failing_seconds{channel="email"} 90');
    expect(first).toContain('svcsync_returns{stream="reports",state="delivered"} 3');
    expect(first).toContain('svcsync_returns_unanswered_age_seconds{stream="reports"} 4');
    expect(first).toContain('svcsync_returns_unanswered_age_seconds{stream="status"} 0');
    expect(first).toContain('svcsync_returns_overdue{stream="reports"} 1');
    expect(first).toContain('svcsync_returns_stream_held{stream="reports",by="guard"} 1');
    expect(first).toContain('svcsync_service_breaker{state="open"} 1');
    expect(first).toContain('svcsync_service_breaker{state="closed"} 0');
    expect(first).toContain("svcsync_service_concurrency 1");
    expect(first).toContain("svcsync_service_hold_seconds 2.5");
    expect(first).toContain("svcsync_service_requests_per_second_limit 39.8");
    expect(second).toContain('svcsync_records{stream="customers",state="applied"} 4');
    const forgotten =
      /^svcsync_(cursor_lag_seconds|queue_(jobs|kind)|notifications_(waiting|failing)|service_(breaker|concurrency|hold|requests_per))|parked/;
    expect(second.split("\n").filter((line) => forgotten.test(line))).toEqual([]);
  });

  it("are served also while the readings fail", async () => {
    const figures = await figuresOf(() => Promise.reject(new Error("disk")));

    expect(figures).toContain('svcsync_info{version="1.2.3"} 1');
  });
});

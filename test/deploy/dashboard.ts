/** A metric as /metrics declares it. */
export interface Declared {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}

export interface Panel {
  readonly title: string;
  readonly type: "timeseries" | "stat" | "row";
  readonly targets: readonly { readonly expr: string; readonly legendFormat?: string }[];
  readonly [part: string]: unknown;
}

interface Drawn {
  readonly title: string;
  /** Expression by legend; `{{label}}` stands for a label's value. */
  readonly shows: Readonly<Record<string, string>>;
  /** As Grafana names it: s, short, reqps, bytes … */
  readonly unit: string;
  readonly type?: "timeseries" | "stat";
  /** A stat is red from here on. */
  readonly redFrom?: number;
  /** Bands that add up to a whole. */
  readonly isStacked?: boolean;
}

const here = `{instance=~"$instance"}`;
const and = (labels: string) => `{instance=~"$instance",${labels}}`;
const rate = (metric: string, by: string, labels = here) =>
  `sum by (${by}) (rate(${metric}${labels}[$__rate_interval]))`;
const quantile = (share: number, metric: string, by: string) =>
  `histogram_quantile(${share}, ${rate(`${metric}_bucket`, `le, ${by}`)})`;

const rows: Readonly<Record<string, readonly Drawn[]>> = {
  "Is all well?": [
    stat("Records that need a person", `sum(svcsync_records${and('state="parked"')})`, "short", 1),
    stat("Creates without a known result", `sum(svcsync_records${and('state="uncertain"')})`, "short", 1),
    stat("Longest time since a stream was read", `max(svcsync_cursor_lag_seconds${here})`, "s", 3600),
    stat("Circuit breaker open", `max(svcsync_service_breaker${and('state=~"open|half-open"')})`, "short", 1),
    stat("Pause that the service asks for", `max(svcsync_service_hold_seconds${here})`, "s", 60),
    stat("Records to be delivered", `sum(svcsync_records${and('state=~"due|claimed|waiting"')})`, "short"),
  ],
  Streams: [
    {
      title: "Records by state",
      shows: { "{{stream}} {{state}}": `sum by (stream, state) (svcsync_records${and('state!="applied"')})` },
      unit: "short",
      isStacked: true,
    },
    {
      title: "Deliveries by how they ended",
      shows: { "{{stream}} {{end}}": rate("svcsync_deliveries_total", "stream, end") },
      unit: "ops",
      isStacked: true,
    },
    {
      title: "Time since each stream was read",
      shows: { "{{stream}}": `max by (stream) (svcsync_cursor_lag_seconds${here})` },
      unit: "s",
    },
    {
      title: "Age of the oldest change that is on its way",
      shows: { "{{stream}}": `max by (stream) (svcsync_undelivered_age_seconds${here})` },
      unit: "s",
    },
    {
      title: "Streams that are held",
      shows: { "{{stream}} {{by}}": `max by (stream, by) (svcsync_stream_held${here})` },
      unit: "short",
    },
    {
      title: "Time of a delivery (95 %)",
      shows: { "{{stream}}": quantile(0.95, "svcsync_delivery_duration_seconds", "stream") },
      unit: "s",
    },
    {
      title: "Rows read, and those that had changed",
      shows: { "{{stream}} {{kind}}": rate("svcsync_poll_rows_total", "stream, kind") },
      unit: "ops",
    },
    {
      title: "Failed polls in an hour",
      shows: { "{{stream}}": `sum by (stream) (increase(svcsync_poll_failures_total${here}[1h]))` },
      unit: "short",
    },
    {
      title: "Time of a poll (95 %)",
      shows: { "{{stream}}": quantile(0.95, "svcsync_poll_duration_seconds", "stream") },
      unit: "s",
    },
  ],
  "The service": [
    {
      title: "Requests by status",
      shows: { "{{status}}": rate("svcsync_service_request_duration_seconds_count", "status") },
      unit: "reqps",
      isStacked: true,
    },
    {
      title: "Time of a request (95 %)",
      shows: {
        "{{resource}} {{method}}": quantile(0.95, "svcsync_service_request_duration_seconds", "resource, method"),
      },
      unit: "s",
    },
    {
      title: "Requests allowed at once and per second",
      shows: {
        "at once": `max(svcsync_service_concurrency${here})`,
        "per second": `max(svcsync_service_requests_per_second_limit${here})`,
      },
      unit: "short",
    },
    {
      title: "What the queue runs on",
      shows: { "{{kind}}": `max by (kind) (svcsync_queue_kind${here})` },
      unit: "short",
    },
    { title: "Jobs in the queue", shows: { "{{state}}": `sum by (state) (svcsync_queue_jobs${here})` }, unit: "short" },
  ],
  "Back to the ERP": [
    stat("Returns that need a person", `sum(svcsync_returns${and('state=~"held|uncertain"')})`, "short", 1),
    stat("Streams of returns without an answer in time", `sum(svcsync_returns_overdue${here})`, "short", 1),
    {
      title: "Returns by state",
      shows: { "{{stream}} {{state}}": `sum by (stream, state) (svcsync_returns${and('state!="accepted"')})` },
      unit: "short",
      isStacked: true,
    },
    {
      title: "Age of the oldest return without an answer",
      shows: { "{{stream}}": `max by (stream) (svcsync_returns_unanswered_age_seconds${here})` },
      unit: "s",
    },
    {
      title: "Streams of returns that are held",
      shows: { "{{stream}} {{by}}": `max by (stream, by) (svcsync_returns_stream_held${here})` },
      unit: "short",
    },
  ],
  Upkeep: [
    stat("Age of the last verified backup", `max(svcsync_backup_age_seconds${here})`, "s", 2 * 86_400),
    stat("Differences in the service", `sum(svcsync_drift${here})`, "short", 1),
    stat("Longest failure of a channel", `max(svcsync_notifications_failing_seconds${here})`, "s", 3600),
    stat("Changes that wait for a channel", `sum(svcsync_notifications_waiting${here})`, "short"),
  ],
  "The process": [
    { title: "Memory", shows: { "{{instance}}": `process_resident_memory_bytes${here}` }, unit: "bytes" },
    {
      title: "Processor",
      shows: { "{{instance}}": rate("process_cpu_seconds_total", "instance") },
      unit: "percentunit",
    },
    {
      title: "Event loop lag (99 %)",
      // What is told includes the pause between two looks, which is the shortest that was seen.
      shows: { "{{instance}}": `nodejs_eventloop_lag_p99_seconds${here} - nodejs_eventloop_lag_min_seconds${here}` },
      unit: "s",
    },
    { title: "Version", shows: { "{{version}}": `count by (version) (svcsync_info${here})` }, unit: "short" },
  ],
};

function stat(title: string, expr: string, unit: string, redFrom?: number): Drawn {
  return { title, shows: { "": expr }, unit, type: "stat", ...(redFrom === undefined ? {} : { redFrom }) };
}

/**
 * The dashboard as Grafana imports it. Metrics of svcsync that no panel names get one of their own in the last row, so that each
 * metric is shown.
 */
export function dashboard(declared: readonly Declared[]): { panels: Panel[]; [part: string]: unknown } {
  const named = JSON.stringify(rows);
  const others = declared.filter(({ name }) => name.startsWith("svcsync_") && !named.includes(name));
  const all = Object.entries({ ...rows, ...(others.length > 0 && { More: others.map(plain) }) });
  return {
    uid: "svcsync",
    title: "svcsync",
    description:
      "Generated by test/deploy/dashboard.ts from the metrics that svcsync has. Copy it before you change it.",
    tags: ["svcsync"],
    schemaVersion: 39,
    refresh: "1m",
    time: { from: "now-24h", to: "now" },
    templating: {
      list: [
        { name: "datasource", type: "datasource", query: "prometheus" },
        {
          name: "instance",
          type: "query",
          datasource,
          query: "label_values(svcsync_info, instance)",
          includeAll: true,
          multi: true,
          refresh: 2,
        },
      ],
    },
    panels: laidOut(all),
  };
}

const datasource = { type: "prometheus", uid: "${datasource}" };
const gridWidth = 24;

/** Stats six in a row, charts two in a row, as Grafana counts its grid. */
function laidOut(all: readonly [string, readonly Drawn[]][]): Panel[] {
  const panels: Panel[] = [];
  let y = 0;
  for (const [title, drawn] of all) {
    panels.push({ id: panels.length + 1, title, type: "row", targets: [], gridPos: { x: 0, y, w: gridWidth, h: 1 } });
    y += 1;
    let x = 0;
    for (const each of drawn) {
      const [w, h] = each.type === "stat" ? [4, 4] : [12, 8];
      panels.push({ id: panels.length + 1, ...panelOf(each), gridPos: { x, y, w, h } });
      x += w;
      if (x < gridWidth && each !== drawn.at(-1)) continue;
      x = 0;
      y += h;
    }
  }
  return panels;
}

function panelOf({ title, shows, unit, type = "timeseries", redFrom, isStacked = false }: Drawn): Panel {
  const steps = [{ color: "green", value: null }, ...(redFrom === undefined ? [] : [{ color: "red", value: redFrom }])];
  const custom = isStacked ? { stacking: { mode: "normal" }, fillOpacity: 20 } : {};
  return {
    title,
    type,
    datasource,
    targets: Object.entries(shows).map(([legendFormat, expr], at) => ({
      refId: String.fromCodePoint(65 + at),
      expr,
      legendFormat,
    })),
    fieldConfig: {
      defaults: { unit, min: 0, ...(type === "stat" ? { thresholds: { mode: "absolute", steps } } : { custom }) },
      overrides: [],
    },
  };
}

/** A metric as its type is best read, titled by its own help. */
function plain({ name, type, help }: Declared): Drawn {
  const unit = name.includes("seconds") ? "s" : name.includes("bytes") ? "bytes" : "short";
  const title = help.replace(/\.$/, "");
  if (type === "counter") return { title, shows: { "": `rate(${name}${here}[$__rate_interval])` }, unit: "ops" };
  if (type === "histogram") return { title: `${title} (95 %)`, shows: { "": quantile(0.95, name, "stream") }, unit };
  return { title, shows: { "": `${name}${here}` }, unit };
}

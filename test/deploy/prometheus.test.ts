import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { RECORD_STATES } from "#model";
import { openMetrics } from "#telemetry";
import { anchorsOf } from "../architecture/documents.ts";
import { root } from "../architecture/source-files.ts";
import { promtool } from "../setup/promtool.ts";
import { dashboard, type Declared } from "./dashboard.ts";

const alertsPath = join(root, "deploy/prometheus/alerts.yaml");
const testsPath = join(root, "deploy/prometheus/alerts.test.yaml");
const dashboardPath = join(root, "deploy/grafana/svcsync.json");

const alertsFile = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(["page", "ticket"]) }),
          annotations: z.object({ summary: z.string(), description: z.string(), runbook_url: z.string() }),
        }),
      ),
    }),
  ),
});

/** The page /metrics of a daemon that knows every reading. */
async function metricsText(): Promise<string> {
  const metrics = openMetrics({
    version: "1.2.3",
    read: () =>
      Promise.resolve({
        records: new Map([["customers", { due: 3, parked: 1 }]]),
        lagMs: new Map([["customers", 1500]]),
        queue: { waiting: 4, active: 2 },
        queueKind: "in-process",
        service: { state: "open", concurrency: 1, holdMs: 2500, perSecond: 39.8 },
      }),
  });
  metrics.delivered("customers", "created", 120);
  metrics.requested({ resource: "customer", method: "POST", status: 200, durationMs: 50 });
  metrics.polled("customers", { rowsRead: 10, changed: 2, durationMs: 100 });
  metrics.pollFailed("customers");
  return await metrics.text();
}

function declaredIn(text: string): Declared[] {
  const helps = new Map([...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = "", help = ""]) => [name, help]));
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => ({
    name,
    type,
    help: helps.get(name) ?? "",
  }));
}

let text: string;
let declared: Declared[];
let alerts: z.infer<typeof alertsFile>["groups"][number]["rules"];
let expressions: string[];
beforeAll(async () => {
  text = await metricsText();
  declared = declaredIn(text);
  alerts = alertsFile.parse(parse(await readFile(alertsPath, "utf8"))).groups.flatMap(({ rules }) => rules);
  const shown = dashboard(declared).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expressions = [...shown, ...alerts.map(({ expr }) => expr)];
});

describe("the page /metrics", () => {
  it("is named as OpenMetrics wants it, but for three figures of the library", async () => {
    const found = await promtool(["check", "metrics"], text).catch(
      (thrown: Error & { stderr: string }) => thrown.stderr,
    );
    const ofLibrary = ["handles", "requests", "resources"].map((name) => `nodejs_active_${name}_total`);
    expect(found.trim().split("\n")).toEqual(
      ofLibrary.map((name) => `${name} non-counter metrics should not have "_total" suffix`),
    );
  });
});

describe("alerts and dashboard", () => {
  it("name no metric that svcsync does not have", () => {
    const known = declared.flatMap(({ name, type }) =>
      type === "histogram" ? ["_bucket", "_count", "_sum"].map((part) => `${name}${part}`) : [name],
    );
    const used = expressions.map((expr) => expr.match(/\b(svcsync|process|nodejs)_\w+/g) ?? ["none"]);
    expect(used.flat().filter((name) => !known.includes(name))).toEqual([]);
  });

  it("name no state of a record that does not exist", () => {
    const states = expressions.flatMap((expr) =>
      [...expr.matchAll(/svcsync_records\{[^}]*state!?=~?"([^"]+)"/g)].flatMap(([, state = ""]) => state.split("|")),
    );
    expect(states).not.toEqual([]);
    expect(states.filter((state) => !RECORD_STATES.some((known) => known === state))).toEqual([]);
  });
});

describe("the dashboard", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "svcsync-promtool-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("is what the metrics make of it (`npx vitest run test/deploy -u` writes it)", async () => {
    await expect(`${JSON.stringify(dashboard(declared), undefined, 2)}\n`).toMatchFileSnapshot(dashboardPath);
  });

  it("shows every metric of svcsync", () => {
    const shown = JSON.stringify(dashboard(declared));
    expect(declared.filter(({ name }) => name.startsWith("svcsync_") && !shown.includes(name))).toEqual([]);
  });

  it("gives a metric that no panel names one of its own", () => {
    const more = { name: "svcsync_new_seconds", type: "gauge", help: "Something new." };
    expect(dashboard([...declared, more]).panels.at(-1)).toMatchObject({
      title: "Something new",
      targets: [{ expr: 'svcsync_new_seconds{instance=~"$instance"}' }],
    });
  });

  it("has expressions that Prometheus parses", async () => {
    const rules = expressions.map((expr, at) => ({
      record: `shown:${at}`,
      expr: expr.replaceAll("$__rate_interval", "5m"),
    }));
    const file = join(folder, "shown.yaml");
    await writeFile(file, stringify({ groups: [{ name: "shown", rules }] }));
    expect(await promtool(["check", "rules", "--lint=none", file])).toContain(`SUCCESS: ${rules.length} rules found`);
  });
});

describe("the alerts", () => {
  it("are rules that Prometheus loads", async () => {
    const said = await promtool(["check", "rules", "--lint-fatal", alertsPath]);
    expect(said).toContain(`SUCCESS: ${alerts.length} rules found`);
  });

  it("fire when they should, and alone", async () => {
    expect(await promtool(["test", "rules", testsPath])).toContain("SUCCESS");
  });

  it("each have a test of their own", async () => {
    const tests = await readFile(testsPath, "utf8");
    expect(alerts.filter(({ alert }) => !tests.includes(`alertname="${alert}"`))).toEqual([]);
  });

  it("each lead to a page that is there", async () => {
    const links = alerts.map(({ annotations }) => annotations.runbook_url.split("#"));
    const broken = links.filter(([path = "", anchor]) => {
      const page = join(root, path);
      if (!existsSync(page)) return true;
      return anchor === undefined || !anchorsOf({ path, text: readFileSync(page, "utf8") }).has(anchor);
    });
    expect(broken).toEqual([]);
  });
});

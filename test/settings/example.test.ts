import { readFileSync } from "node:fs";
import { parse } from "dotenv";
import { describe, expect, it } from "vitest";
import { loadSettings } from "#settings";
import { exampleEnvironment } from "./example-environment.ts";

const committed = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");
const uncommented = committed.replace(/^#(?=[A-Z_]+=)/gm, "");

/** Whether there is a channel is what these say. */
function isOfChannel(name: string): boolean {
  return /^(NOTIFY_(EMAIL|CHAT|WEBHOOK)|SMTP|HEARTBEAT)_/.test(name);
}

describe(".env.example", () => {
  it("is what the schema says", () => {
    expect(committed).toBe(exampleEnvironment());
  });

  it("shows defaults that are the defaults", () => {
    const required = { SERVICE_URL: "https://a.example", SERVICE_TOKEN: "t" };
    const examples = new Set([
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "QUEUE_URL",
      "STORE_URL",
      "SERVICE_CA_FILE",
      "SERVICE_FORMER_URL",
      "SOURCE_FORMER",
      "HEALTH_NAMES",
      "PAGE_PROXY_HEADER",
      "PAGE_PROXY_ADDRESSES",
      "SERVICE_PAGE_URL",
      "SERVICE_TOKEN_NAME",
      "DIALECT_LIST_KEYS",
      "DIALECT_PATHS",
      "NOTIFY_NAME",
      "NOTIFY_TIMEZONE",
      "BACKUP_DIR",
    ]);
    const shown = Object.entries(parse(uncommented)).filter(
      ([name]) => !examples.has(name) && !name.endsWith("_PROXY") && !(name in required) && !isOfChannel(name),
    );

    const { settings: explicit } = loadSettings({
      envFile: "/dev/null",
      environment: { ...Object.fromEntries(shown), ...required },
    });
    const { settings: implicit } = loadSettings({ envFile: "/dev/null", environment: required });

    expect(shown.length).toBeGreaterThan(30);
    expect({ ...explicit, environment: {} }).toEqual({ ...implicit, environment: {} });
  });

  it("shows examples that are accepted", () => {
    const { settings } = loadSettings({
      envFile: "/dev/null",
      environment: { ...parse(uncommented), SERVICE_TOKEN: "t", SERVICE_TOKEN_NAME: "" },
    });

    expect(settings.service.dialect.listKeys).toEqual({ svcDocumentTask: "task", ticketMessage: "message" });
  });
});

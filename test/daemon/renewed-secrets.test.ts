import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSyncFile } from "#mapping";
import { adapters } from "#sources";
import { Redaction } from "#telemetry";
import { RenewedSecrets } from "../../src/daemon/systems/renewed-secrets.ts";
import { silentLogger } from "../kit/logger.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svcsync-renewed-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const text = `
sources:
  shop: { adapter: rest, url: "https://shop.example", auth: { kind: bearer, token: "\${SHOP_TOKEN}" } }
streams:
  buyers: { source: shop, read: { path: buyers, rows: rows, key: id }, resource: customer, fields: { name: name } }
`;

/** Credentials of the service and of a source, which one file may replace. */
function open(first: string, redaction = new Redaction()) {
  const environment = { SERVICE_TOKEN: first, SHOP_TOKEN: first };
  const file = join(folder, "token");
  const syncFile = loadSyncFile(text, { file: "sync.yaml", environment, adapters, resources: new Set(["customer"]) });
  const secrets = new RenewedSecrets({
    settings: { environment, secretFiles: new Map(Object.keys(environment).map((name) => [name, file])) },
    secrets: {
      serviceToken: first,
      servicePassword: undefined,
      serviceCode: undefined,
      storeUrl: undefined,
      queueUrl: undefined,
    },
    syncFile,
    redaction,
    logger: silentLogger,
  });
  return { secrets, settings: syncFile.sources[0]!.settings, replace: (by: string) => writeFileSync(file, by) };
}

describe("secrets that are read again", () => {
  it("are not taken while no request could carry them", () => {
    const { secrets, settings, replace } = open("old");
    replace("new\n\n");
    expect([secrets.ofService(), secrets.ofSource("shop", settings)]).toEqual([undefined, undefined]);
    replace("new\n");
    expect(secrets.ofService()).toMatchObject({ serviceToken: "new" });
    expect(secrets.ofSource("shop", settings)).toMatchObject({ auth: { token: "new" } });
  });

  it("are looked for in logs no longer once ten others have followed", () => {
    const redaction = new Redaction(["first of all"]);
    const { secrets, settings, replace } = open("first of all", redaction);
    for (let hour = 1; hour <= 50; hour++) {
      replace(`token-of-hour-${hour}-`);
      expect(secrets.ofService()?.serviceToken).toBe(`token-of-hour-${hour}-`);
      expect(secrets.ofSource("shop", settings)).toBeDefined();
    }
    expect(redaction.redact("first of all, token-of-hour-50-")).toBe("[redacted], [redacted]");
    expect(redaction.redact("token-of-hour-1-")).toBe("token-of-hour-1-");
  });
});

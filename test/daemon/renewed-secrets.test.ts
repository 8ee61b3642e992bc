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

describe("secrets that are read again", () => {
  it("are not taken while no request could carry them", () => {
    const environment = { SERVICE_TOKEN: "old", SHOP_TOKEN: "old" };
    const file = join(folder, "token");
    const syncFile = loadSyncFile(text, { file: "sync.yaml", environment, adapters, resources: new Set(["customer"]) });
    const secrets = new RenewedSecrets({
      settings: { environment, secretFiles: new Map(Object.keys(environment).map((name) => [name, file])) },
      secrets: {
        serviceToken: "old",
        servicePassword: undefined,
        serviceCode: undefined,
        storeUrl: undefined,
        queueUrl: undefined,
      },
      syncFile,
      redaction: new Redaction(),
      logger: silentLogger,
    });
    const { settings } = syncFile.sources[0]!;

    writeFileSync(file, "new\n\n");
    expect([secrets.ofService(), secrets.ofSource("shop", settings)]).toEqual([undefined, undefined]);
    writeFileSync(file, "new\n");
    expect(secrets.ofService()).toMatchObject({ serviceToken: "new" });
    expect(secrets.ofSource("shop", settings)).toMatchObject({ auth: { token: "new" } });
  });
});

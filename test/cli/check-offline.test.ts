import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSampleSyncFile } from "../../src/cli/init/presets.ts";
import { runCaptured } from "./scene.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-offline-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** `svcsync check --offline` on a machine that has this sync file and these settings, and no secrets. */
async function checkOffline(
  edit: (text: string) => string = (text) => text,
  { environment = "", options = [] }: { environment?: string; options?: readonly string[] } = {},
) {
  const syncFile = join(folder, "sync.yaml");
  await writeFile(syncFile, edit(readSampleSyncFile()));
  const envFile = join(folder, "ci.env");
  await writeFile(envFile, `SYNC_FILE=${syncFile}\nDATA_DIR=${join(folder, "data")}\n${environment}`);
  return runCaptured(["check", "--offline", ...options, "--env-file", envFile]);
}

describe("svcsync check --offline", () => {
  it("accepts the shipped sync file without secrets and addresses, and creates nothing", async () => {
    const { code, stdout } = await checkOffline();
    expect(stdout).toContain("maps customers, contacts, tickets, orders");
    expect(stdout).toContain("Not checked: source settings with ERP_URL, which is not set here.");
    expect(stdout).not.toMatch(/PROBLEM|warning/);
    expect(code).toBe(0);
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  it("does not need the files of secrets", async () => {
    const environment = "SERVICE_TOKEN_FILE=/run/secrets/not-here\n";
    expect((await checkOffline(undefined, { environment })).code).toBe(0);
  });

  it("names a wrong word beside an unset variable, with its place", async () => {
    const { code, stderr } = await checkOffline((text) => text.replace("timezone: UTC", "timezon: UTC"));
    expect(stderr).toMatch(/sync\.yaml:\d+:5 sources\.erp\.timezon: found the unknown word "timezon"/);
    expect(stderr).not.toContain("ERP_URL");
    expect(code).toBe(78);
  });

  it("checks a source whose variables are set", async () => {
    const { code, stderr } = await checkOffline(undefined, { environment: "ERP_URL=nonsense\n" });
    expect(stderr).toContain("sources.erp.url");
    expect(code).toBe(78);
  });

  it("names a broken expression and a wrong setting", async () => {
    const broken = await checkOffline((text) => text.replace("$trim(name1", "$trim((name1"));
    expect(broken.stderr).toContain("streams.customers.fields.name");
    expect(broken.code).toBe(78);
    const wrong = await checkOffline(undefined, { environment: "POLL_INTERVAL_SECONDS=soon\n" });
    expect(wrong.stderr).toContain("POLL_INTERVAL_SECONDS");
    expect(wrong.code).toBe(78);
  });

  it("warns of a target field that looks misspelt", async () => {
    const { code, stdout } = await checkOffline((text) => text.replace("shortName:", "shortNmae:"));
    expect(stdout).toContain('has no field "shortNmae", did you mean "shortName"?');
    expect(code).toBe(0);
  });

  it("prints JSON, and refuses --service beside it", async () => {
    const { stdout } = await checkOffline(undefined, { options: ["--json"] });
    expect(JSON.parse(stdout)).toMatchObject({
      findings: [{ subject: "settings", verdict: "ok" }, {}, {}, {}, {}, {}],
    });
    expect((await checkOffline(undefined, { options: ["--service"] })).code).toBe(64);
  });
});

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_TOKEN, startSandbox, type Sandbox } from "#sandbox";
import { runCaptured } from "./scene.ts";

const syncFile = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}", timezone: UTC } }
streams:
  tickets:
    source: erp
    read: { table: tickets, key: ticket_no, changed: updated_at }
    resource: ticket
    fields:
      description: subject
      ticketStatus: { lookup: ticketStatus, by: name, value: { from: state, map: { o: Open } } }
      priority: { lookup: priority, by: name, value: priority }
      customFields.machine: machine
`;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "compare-"));
  await writeFile(join(folder, "sync.yaml"), syncFile);
});
afterAll(() => rm(folder, { recursive: true }));

async function envFile(name: string, sandbox: Sandbox, lines: readonly string[] = []): Promise<string> {
  const settings = {
    SERVICE_URL: sandbox.url,
    SERVICE_TOKEN: DEFAULT_TOKEN,
    ERP_URL: `sqlite:${join(folder, "erp.sqlite")}`,
    SYNC_FILE: join(folder, "sync.yaml"),
    DATA_DIR: join(folder, "data"),
  };
  const path = join(folder, name);
  await writeFile(path, [...Object.entries(settings).map(([key, value]) => `${key}=${value}`), ...lines].join("\n"));
  return path;
}

async function compare(here: Sandbox, there: Sandbox, lines: readonly string[] = []) {
  const own = await envFile("here.env", here);
  const other = await envFile("there.env", there, lines);
  return runCaptured(["compare", "--with", other, "--env-file", own]);
}

const machine = { parentType: "TICKET", name: "machine", type: "TEXT" };

describe("svcsync compare", () => {
  it("finds nothing in two services that have all that the sync file uses", async () => {
    await using here = await startSandbox();
    await using there = await startSandbox();
    for (const service of [here, there]) service.seed("customField", [machine]);

    const { code, stdout } = await compare(here, there);
    expect(stdout).not.toMatch(/PROBLEM|warning/);
    expect(stdout).toContain("ticketStatus.name: ");
    expect(code).toBe(0);
  });

  it("names what the other service lacks: a status of the sync file, a priority of the ERP, a custom field", async () => {
    await using here = await startSandbox();
    await using there = await startSandbox();
    here.seed("customField", [machine]);
    here.seed("priority", [{ name: "Very urgent" }]);
    const open = there.records("ticketStatus").find(({ name }) => name === "Open");
    there.seed("ticketStatus", [{ ...open, name: "In progress" }]);

    const { code, stdout } = await compare(here, there);
    expect(stdout).toMatch(/PROBLEM {2}ticketStatus\.name: missing there: "Open"; there also "In progress"/);
    expect(stdout).toMatch(/warning {2}priority\.name: missing there: "Very urgent"/);
    expect(stdout).toMatch(/PROBLEM {2}field ticket\.customFields\.machine: missing there/);
    expect(code).toBe(1);
  });

  it("shows settings of the dialect that differ", async () => {
    await using here = await startSandbox();
    await using there = await startSandbox();
    const { stdout } = await compare(here, there, ["DIALECT_PAGE_SIZE=20"]);
    expect(stdout).toMatch(/warning {2}dialect, DIALECT_PAGE_SIZE: 50 here, 20 there/);
  });

  it("refuses two env files of one service", async () => {
    await using here = await startSandbox();
    const { code, stdout } = await compare(here, here);
    expect(stdout).toMatch(/PROBLEM {2}service there: both env files name/);
    expect(code).toBe(1);
  });

  it("says which of the two does not answer", async () => {
    await using here = await startSandbox();
    const there = await startSandbox();
    await there[Symbol.asyncDispose]();
    const { code, stdout } = await compare(here, there, ["SERVICE_CONNECT_TIMEOUT_SECONDS=1"]);
    expect(stdout).toMatch(/ok {7}service here: .* accepts the credentials/);
    expect(stdout).toMatch(/PROBLEM {2}service there: /);
    expect(code).toBe(1);
  });

  it("takes the other service from its file alone, whatever the process's environment holds", async () => {
    await using here = await startSandbox();
    await using there = await startSandbox();
    process.env["SERVICE_URL"] = here.url;
    try {
      expect((await compare(here, there)).stdout).not.toContain("both env files name");
    } finally {
      delete process.env["SERVICE_URL"];
    }
  });
});

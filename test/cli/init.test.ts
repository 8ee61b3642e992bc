import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSampleErp, DEFAULT_TOKEN, startSandbox } from "#sandbox";
import { version } from "#telemetry";
import { readSampleSyncFile } from "../../src/cli/init/presets.ts";
import { startRedis } from "../setup/redis.ts";
import { runCaptured } from "./scene.ts";

/** `init` writes into the folder that it is called in. */
let folder: string;
const home = process.cwd();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-init-"));
  process.chdir(folder);
});
afterEach(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

const read = (path: string) => readFile(join(folder, path), "utf8");
const answers = (...lines: string[]) => Readable.from(lines.map((line) => `${line}\n`));

describe("init", () => {
  it("asks for ERP and service, writes both files, and ends in a check that finds all well", async () => {
    await using sandbox = await startSandbox();
    await using redis = await startRedis();
    using erp = createSampleErp(join(folder, "erp.sqlite"), { customers: 5, contacts: 5, tickets: 5, orders: 5 });
    const url = `sqlite:${erp.path}`;
    const stdin = answers("sqlite", sandbox.url, DEFAULT_TOKEN, url, "Europe/Vienna");
    await writeFile(join(folder, "queue.txt"), redis.url);
    const before = process.env["QUEUE_URL_FILE"];
    process.env["QUEUE_URL_FILE"] = join(folder, "queue.txt");
    try {
      const { code, stdout } = await runCaptured(["init"], { stdin });
      expect(stdout).toContain("Which ERP leads?");
      expect(stdout).not.toContain("PROBLEM");
      expect(stdout).toContain("has the tables and keys of the template, which is used as it is");
      expect(stdout).toContain("Ready.");
      expect(stdout).not.toContain(DEFAULT_TOKEN);
      expect(code).toBe(0);
    } finally {
      if (before === undefined) delete process.env["QUEUE_URL_FILE"];
      else process.env["QUEUE_URL_FILE"] = before;
    }
    expect(await read(".env")).toContain(`\nERP_URL=${url}\n`);
    expect(await read("config/svcsync.yaml")).toContain("timezone: Europe/Vienna");
    expect(JSON.parse(await read("config/sync.schema.json"))).toHaveProperty("$defs");
  });

  it.each([
    { secret: "a#b", quote: "'" },
    { secret: "a$b", quote: "'" },
    { secret: "a#b 'c'", quote: '"' },
    { secret: "a$b 'c'", quote: "`" },
  ])(
    "keeps passwords for the user alone, and quotes $secret for svcsync and Docker Compose",
    async ({ secret, quote }) => {
      const argv = ["init", "--yes", "--no-check", "--erp", "businessOne", "--service-url", "https://service.example"];
      const { code } = await runCaptured([...argv, "--set", `ERP_PASSWORD=${secret}`, "--set", "SERVICE_TOKEN=t"]);
      expect(code).toBe(0);
      expect(await read(".env")).toContain(`\nERP_PASSWORD=${quote}${secret}${quote}\n`);
      expect((await stat(join(folder, ".env"))).mode & 0o777).toBe(0o600);
    },
  );

  it.each(["postgresql", "MariaDB", "BusinessOne"])("knows the ERP by the name %s", async (name) => {
    const { code } = await runCaptured(["init", "--yes", "--no-check", "--erp", name]);
    expect(code).toBe(0);
  });

  it("lists the ERPs where it is given another one", async () => {
    const { code, stderr } = await runCaptured(["init", "--yes", "--no-check", "--erp", "oracle"]);
    expect(stderr).toMatch(/'oracle' is invalid. expected one of postgres, mysql, .*, files/);
    expect(code).toBe(64);
  });

  it("leaves empty what is not given, and says what is still to be filled in", async () => {
    const { code, stdout } = await runCaptured(["init", "--yes", "--erp", "odoo"]);
    expect(stdout).toContain("SERVICE_URL, ERP_URL, ERP_DATABASE, ERP_KEY, SERVICE_TOKEN");
    expect(await read(".env")).toContain("\nERP_KEY=\n");
    expect(code).toBe(78);
  });

  it("says which zone it took for the ERP's clock where nobody named one", async () => {
    const argv = ["init", "--yes", "--no-check", "--force", "--erp", "erpnext"];
    expect((await runCaptured(argv)).stdout).toMatch(/zone \S+, this machine's. If not, use --timezone/);
    expect((await runCaptured([...argv, "--timezone", "Europe/Vienna"])).stdout).not.toContain("this machine's");
    expect((await runCaptured(["init", "--yes", "--no-check", "--force", "--erp", "weclapp"])).stdout).not.toContain(
      "zone",
    );
  });

  it("asks again where an answer cannot be", async () => {
    const stdin = answers("odo", "5000", "Tryton", "service.example", "https://service.example", "", "me", "", "pass");
    const { code, stdout, stderr } = await runCaptured(["init"], { stdin });
    expect(stdout.match(/expected a number from 1 to \d+, or a name/g)).toHaveLength(2);
    expect(stdout).toContain("expected an address that begins with https://");
    expect(stdout).toContain("expected an answer");
    expect(stderr).toContain("Not all questions were answered");
    expect(code).toBe(64);
    await expect(stat(join(folder, ".env"))).rejects.toThrow("ENOENT");
  });

  it("takes the service's address and token only as check does", async () => {
    const lines = ["https://service.example/restApi/v1", "https://service.example", "to ken", "token"];
    const stdin = answers("sqlite", ...lines, "sqlite:erp.db", "UTC");
    const { code, stdout } = await runCaptured(["init", "--no-check"], { stdin });
    expect(stdout).toContain("expected the base address alone, without /restApi, ? and #");
    expect(stdout).toContain("expected a token of ASCII characters, without spaces");
    expect(await read(".env")).toContain("\nSERVICE_URL=https://service.example\nSERVICE_TOKEN=token\n");
    expect(code).toBe(0);
  });

  it("shows the address of a database while it is typed, and asks for the password alone, hidden", async () => {
    const lines = ["https://service.example", "token", "erp-db/erp", "postgres://svcsync:a#b@erp-db/erp"];
    const stdin = answers("postgres", ...lines, "postgres://svcsync@erp-db:5432/erp", "a#b/c@d", "UTC");
    const { code, stdout } = await runCaptured(["init", "--no-check"], { stdin });
    expect(stdout).toContain("a database is named by sqlite:, postgres://");
    expect(stdout).toContain("%23 for #): postgres://svcsync:<encoded password>@erp-db/erp");
    expect(stdout).toContain("Password of svcsync in the database");
    expect(stdout).not.toContain("a#b/c@d");
    expect(await read(".env")).toContain("\nERP_URL=postgres://svcsync:a%23b%2Fc%40d@erp-db:5432/erp\n");
    expect(code).toBe(0);
  });

  it("takes the address of a web interface only as check does", async () => {
    const lines = ["https://service.example", "token", "erp.example", "https://erp.example/", "me", "secret"];
    const { stdout } = await runCaptured(["init", "--no-check"], { stdin: answers("odata", ...lines, "UTC") });
    expect(stdout).toContain("found text, expected an address that begins with https:// or http://");
    expect(await read(".env")).toContain("\nERP_URL=https://erp.example/\n");
  });

  it("overwrites nothing without --force, and says what is in the way before it asks", async () => {
    await writeFile(join(folder, ".env"), "SERVICE_URL=https://mine.example\n");
    const { code, stdout, stderr } = await runCaptured(["init", "--yes", "--erp", "odoo"]);
    expect(stderr).toContain(".env already exists");
    expect(stdout).toBe("");
    expect(code).toBe(64);
    expect(await read(".env")).toBe("SERVICE_URL=https://mine.example\n");
    await runCaptured(["init", "--yes", "--erp", "odoo", "--force"]);
    expect(await read(".env")).toContain("ERP_DATABASE=");
  });

  it("replaces the sync file of the sample as it is shipped, and no other", async () => {
    await runCaptured(["init", "--yes", "--no-check", "--erp", "odoo"]);
    await rm(join(folder, ".env"));
    const edited = await runCaptured(["init", "--yes", "--no-check", "--erp", "weclapp"]);
    expect(edited.stderr).toContain("config/svcsync.yaml already exists");
    await writeFile(join(folder, "config/svcsync.yaml"), readSampleSyncFile());
    expect(await runCaptured(["init", "--yes", "--no-check", "--erp", "weclapp"])).toMatchObject({ code: 0 });
    expect(await read("config/svcsync.yaml")).toContain("preset: weclapp");
  });

  it("names the schema of this version in the first line, where editors look for it", async () => {
    await runCaptured(["init", "--yes", "--no-check", "--erp", "odoo"]);
    expect(await read("config/svcsync.yaml")).toMatch(/^# yaml-language-server: \$schema=sync\.schema\.json\n/);
    expect(JSON.parse(await read("config/sync.schema.json"))).toMatchObject({
      $id: `urn:svcsync:sync-file:${version}`,
    });
  });

  it("leaves the sync file of an earlier version where it is, and makes no second one", async () => {
    await mkdir(join(folder, "config"));
    await writeFile(join(folder, "config/sync.yaml"), "mine: true\n");
    const argv = ["init", "--yes", "--no-check", "--erp", "odoo"];
    const refused = await runCaptured(argv);
    expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining("config/sync.yaml already exists")]);
    expect((await runCaptured([...argv, "--force"])).stdout).toContain(".env and config/sync.yaml were written");
    expect(await read("config/sync.yaml")).toContain("adapter: odoo");
    expect((await readdir(join(folder, "config"))).toSorted()).toEqual(["sync.schema.json", "sync.yaml"]);
  });

  it("writes nothing where there are two sync files", async () => {
    await mkdir(join(folder, "config"));
    for (const name of ["sync.yaml", "svcsync.yaml"]) await writeFile(join(folder, "config", name), "");
    const { code, stderr } = await runCaptured(["init", "--yes", "--no-check", "--erp", "odoo", "--force"]);
    expect([code, stderr]).toEqual([
      64,
      expect.stringMatching(/^config\/svcsync\.yaml and config\/sync\.yaml exist\. /),
    ]);
    expect(await readdir(folder)).toEqual(["config"]);
  });

  it("refuses a name that the env file would not know", async () => {
    const { code, stderr } = await runCaptured(["init", "--yes", "--erp", "odoo", "--set", "ERP_USER=me"]);
    expect(stderr).toContain("--set ERP_USER: for odoo there are SERVICE_URL");
    expect(code).toBe(64);
  });

  it("takes every other key of .env.example, and writes it below the rest", async () => {
    const argv = ["init", "--yes", "--no-check", "--erp", "odoo", "--set", "QUEUE_URL=redis://queue.example:6379"];
    expect((await runCaptured(argv)).code).toBe(0);
    expect(await read(".env")).toMatch(/\n\n# -- Others\nQUEUE_URL=redis:\/\/queue.example:6379\n$/);
  });

  it("writes config/svcsync.yaml, and says so to who wants it elsewhere", async () => {
    const { code, stderr } = await runCaptured(["init", "--yes", "--erp", "odoo", "--set", "SYNC_FILE=a.yaml"]);
    expect(stderr).toContain("init writes config/svcsync.yaml; move it afterwards");
    expect(code).toBe(64);
  });

  it.each([
    ["--erp", "oddo"],
    ["--timezone", "Berlin"],
    ["--set", "novalue"],
  ])("refuses %s %s", async (...option) => {
    const { code, stderr } = await runCaptured(["init", "--yes", ...option]);
    expect(stderr).toContain(option[1]);
    expect(code).toBe(64);
  });
});

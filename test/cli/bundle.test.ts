import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { loadLocalSettings, secretTexts } from "#settings";
import { openStore } from "#store";
import { systemClock } from "#model";
import { silentLogger } from "../kit/logger.ts";
import { openScene, type Scene } from "./scene.ts";

const groupList = z.object({ groups: z.array(z.object({ id: z.string() })) });
const partList = z.object({ parts: z.array(z.object({ name: z.string(), failure: z.string().optional() })) });
const execute = promisify(execFile);

const secrets = {
  SERVICE_TOKEN: "service-token-81a6",
  SERVICE_PASSWORD: 'pass"word \\ 52ff',
  SERVICE_CODE: "service-code-7c01",
  NUDGE_TOKEN: "nudge-token-2b944c1e8d73",
  PAGE_TOKEN: "page-token-77d3e4b0a91c",
  SMTP_PASSWORD: "smtp-password-0f6e",
  NOTIFY_CHAT_URL: "https://chat.example/hooks/T0001/B0002/chat-secret",
  NOTIFY_WEBHOOK_URL: "https://hooks.example/in/webhook-secret?key=abc",
  NOTIFY_WEBHOOK_KEY: "webhook-key-9915d20c3e6f",
  HEARTBEAT_URL: "https://beats.example/ping/heartbeat-secret",
  HTTPS_PROXY: "http://proxy:proxy-password-3e@proxy.example:3128",
} as const;
const erpPassword = "erp-password-661b";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
  scene.erp.breakOne("10002");
  await scene.run("sync");
});
afterAll(() => scene[Symbol.asyncDispose]());

/** Unpacks a bundle with the system's tar: its files by name. */
async function unpacked(path: string): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(scene.folder, "unpacked-"));
  await execute("tar", ["-xzf", path, "-C", folder]);
  const names = await readdir(join(folder, "svcsync-bundle"));
  const read = async (name: string) => [name, await readFile(join(folder, "svcsync-bundle", name), "utf8")] as const;
  return new Map(await Promise.all(names.map(read)));
}

const parsed = (files: ReadonlyMap<string, string>, name: string): unknown => JSON.parse(files.get(name) ?? "null");

describe("bundle", () => {
  it("holds what support needs, and no contents of records", async () => {
    const path = join(scene.folder, "first.tar.gz");
    const { code, stdout } = await scene.run("bundle", path);
    expect(stdout).toContain(`Wrote ${path} with 10 of 10 parts.`);
    expect(code).toBe(0);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const files = await unpacked(path);
    expect(parsed(files, "versions.json")).toMatchObject({ node: process.versions.node });
    expect(parsed(files, "settings.json")).toMatchObject({ keysThatAreSet: expect.arrayContaining(["SERVICE_TOKEN"]) });
    expect(parsed(files, "service.json")).toMatchObject({ url: scene.sandbox.url });
    expect(parsed(files, "groups.json")).toMatchObject({
      groups: [{ stream: "customers", code: "E_SERVICE_REFUSED", count: 1, examples: ["10002"] }],
    });
    expect(parsed(files, "status.json")).toMatchObject({ streams: expect.arrayContaining([expect.any(Object)]) });
    expect(parsed(files, "audit.json")).toMatchObject({
      entries: expect.arrayContaining([
        expect.objectContaining({ action: "create", id: { stream: "customers", key: "10001" } }),
        expect.objectContaining({ action: "attempt", outcome: "E_SERVICE_REFUSED" }),
      ]),
    });
    expect(parsed(files, "tables.json")).toMatchObject({ records: 5 });
    expect(parsed(files, "history.json")).toMatchObject({ hours: expect.any(Array) });
    const all = [...files.values()].join("\n");
    for (const content of ["Muster", "Übersee", "Ünal", "Pump leaks"]) expect(all).not.toContain(content);
  });

  it("holds the last 1,000 lines of a log that is named, without secrets", async () => {
    const [path, log] = [join(scene.folder, "logged.tar.gz"), join(scene.folder, "svcsync.log")];
    await scene.set({ PAGE_TOKEN: secrets.PAGE_TOKEN });
    const lines = Array.from({ length: 3_500 }, (_, at) => `line ${at}: sent ${secrets.PAGE_TOKEN}\n`);
    await writeFile(log, lines.join(""));
    expect((await scene.run("bundle", path, "--log", log)).stdout).toContain("11 of 11 parts");
    const kept = (await unpacked(path)).get("log.txt") ?? "";
    expect(kept.split("\n").length).toBe(1_001);
    expect(kept).toMatch(/^line 2500: sent \[redacted]\n[\s\S]*line 3499: sent \[redacted]\n$/);
    const missing = await scene.run("bundle", join(scene.folder, "none.tar.gz"), "--log", join(scene.folder, "no.log"));
    expect([missing.code, missing.stderr]).toEqual([64, expect.stringContaining("found no file")]);
  });

  it("overwrites nothing", async () => {
    const path = join(scene.folder, "kept.tar.gz");
    await writeFile(path, "mine");
    const { code, stderr } = await scene.run("bundle", path);
    expect(stderr).toContain("already exists");
    expect(code).toBe(64);
    expect(await readFile(path, "utf8")).toBe("mine");
  });

  it("holds no secret, wherever one stands, beside a daemon and without ERP and service", async () => {
    const { groups } = groupList.parse(JSON.parse((await scene.run("groups", "--json")).stdout));
    // Written down before it was known as a secret.
    await scene.run("groups", groups[0]!.id, "--note", `log in with ${secrets.NUDGE_TOKEN}`);
    await scene.edit((text) => `# the page: ${secrets.PAGE_TOKEN}\n${text}`);
    const erpUrl = `postgres://erp:${erpPassword}@127.0.0.1:1/erp`;
    await scene.set({
      ...secrets,
      SMTP_USERNAME: "mail",
      SERVICE_URL: "http://127.0.0.1:1",
      ERP_URL: erpUrl,
    });
    await using _daemon = await openStore(join(scene.folder, "data"), {
      as: "daemon",
      clock: systemClock,
      logger: silentLogger,
    });

    const path = join(scene.folder, "secret.tar.gz");
    const { code, stdout } = await scene.run("bundle", path, "--json");
    expect(code).toBe(0);
    const { parts } = partList.parse(JSON.parse(stdout));
    expect(parts.filter(({ failure }) => failure !== undefined).map(({ name }) => name)).toEqual(["service.json"]);

    const tar = gunzipSync(await readFile(path)).toString("utf8");
    const known = secretTexts(loadLocalSettings({ envFile: scene.envFile, environment: {} }).secrets);
    const searched = [...new Set([...known, ...Object.values(secrets), erpUrl, erpPassword])];
    expect(searched.length).toBeGreaterThan(Object.keys(secrets).length);
    for (const secret of searched) {
      expect(tar).not.toContain(secret);
      expect(tar).not.toContain(JSON.stringify(secret).slice(1, -1));
    }
    const files = await unpacked(path);
    expect(files.get("groups.json")).toContain("log in with [redacted]");
    expect(files.get("sync-file.yaml")).toContain("# the page: [redacted]");
  });

  it("says which parts are missing and why, and keeps the others", async () => {
    await scene.edit(() => "streams: 7\n");
    const path = join(scene.folder, "broken-file.tar.gz");
    const { code, stdout } = await scene.run("bundle", path);
    expect(code).toBe(0);
    expect(stdout).toMatch(/sync-file\.yaml is missing: .*E_SYNC_FILE/s);
    const files = await unpacked(path);
    expect([...files.keys()]).not.toContain("sync-file.yaml");
    expect(files.get("parts.json")).toContain("E_SYNC_FILE");
    expect(parsed(files, "groups.json")).toMatchObject({ groups: [{ examples: ["10002"] }] });

    const damaged = join(scene.folder, "damaged");
    await mkdir(damaged);
    await writeFile(join(damaged, "svcsync.db"), "no database at all, ".repeat(500));
    await scene.edit((text) => text);
    await scene.set({ DATA_DIR: damaged });
    const second = join(scene.folder, "broken-store.tar.gz");
    expect((await scene.run("bundle", second)).stdout).toMatch(/status\.json is missing: .*E_STORE_CORRUPT/);
    expect([...(await unpacked(second)).keys()]).toEqual(expect.arrayContaining(["sync-file.yaml", "settings.json"]));
  });
});

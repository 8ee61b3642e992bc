import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_TOKEN } from "#sandbox";
import { Replica } from "../journeys/replica.ts";
import { setStage, texts, until, type Stage } from "../journeys/stage.ts";
import { pem } from "../kit/http.ts";
import { builtProgram } from "../setup/built-program.ts";
import { startSentinels, type TestSentinels } from "../setup/redis-sentinel.ts";

const trusting = { NODE_EXTRA_CA_CERTS: pem("authority") };

let sentinels: TestSentinels;
let stage: Stage;
beforeAll(async () => {
  sentinels = await startSentinels({ password: "server-pw", sentinelPassword: "sentinel-pw", isTls: true });
  stage = await setStage({ environment: { QUEUE_URL: sentinels.url } });
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await sentinels[Symbol.asyncDispose]();
});

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** The program as people start it: only a process of its own is told of an authority. */
function run(argv: readonly string[], variables: Readonly<Record<string, string>> = trusting): Promise<Ended> {
  const options = { cwd: stage.folder, env: { PATH: process.env["PATH"], ...variables } };
  return new Promise((resolve) => {
    const child = execFile(builtProgram, [...argv], options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

describe("a queue on Redis behind Sentinel, both with TLS", () => {
  it("is found by check, which shows no password", async () => {
    expect(sentinels.url).toMatch(/^rediss\+sentinel:/);
    const { code, output } = await run(["check", "--env-file", stage.envFile]);
    expect(output).toMatch(/^ok +queue: redis answers$/m);
    expect(output).not.toMatch(/(server|sentinel)-pw/);
    expect(code).toBe(0);
  });

  it("is refused by check with one clear error while its authority is not trusted", async () => {
    const { code, output } = await run(["check", "--env-file", stage.envFile], {});
    expect(output).toMatch(
      /^PROBLEM +queue: [^\n]+certificate[^\n]+\(E_QUEUE_UNREACHABLE\)\n[^\n]+NODE_EXTRA_CA_CERTS/m,
    );
    expect(code).toBe(1);
  });

  it("is written by init as it was given, and checked", async () => {
    const given = [`QUEUE_URL=${sentinels.url}`, `SERVICE_TOKEN=${DEFAULT_TOKEN}`, `ERP_URL=sqlite:${stage.erp.path}`];
    const settings = given.flatMap((each) => ["--set", each]);
    const envFile = join(stage.folder, "made/.env");
    await mkdir(join(stage.folder, "made"));
    const argv = ["init", "--yes", "--erp", "sqlite", "--service-url", stage.sandbox.url, "--env-file", envFile];
    const { code, output } = await run([...argv, ...settings]);
    expect(output).toMatch(/^ok +queue: redis answers$/m);
    expect(output).not.toMatch(/(server|sentinel)-pw/);
    expect(code).toBe(0);
    expect(await readFile(envFile, "utf8")).toContain(`\nQUEUE_URL=${sentinels.url}\n`);
  });

  it("leaves no password in a bundle", async () => {
    const path = join(stage.folder, "bundle.tar.gz");
    const { code, output } = await run(["bundle", path, "--env-file", stage.envFile]);
    expect(code).toBe(0);
    const text = gunzipSync(await readFile(path)).toString("latin1");
    expect(text).toContain("QUEUE_URL");
    expect(text + output).not.toMatch(/(server|sentinel)-pw/);
  });

  it("carries a daemon over the loss of its primary", async () => {
    const arrived = () => texts(stage.sandbox, "customer", "customerId");
    await using replica = await Replica.start(stage, "daemon", {}, { variables: trusting });
    stage.erp.insertCustomer({ customer_no: "10001" });
    await until("the first customer arrived", () => arrived().includes("10001"));
    const primary = await sentinels.primary();
    process.kill(primary, "SIGKILL");
    await sentinels.replaced(primary);
    stage.erp.insertCustomer({ customer_no: "10002" });
    await until("the second customer arrived", () => arrived().includes("10002"));
    expect(replica.log).toContain("queue moved to another server");
    expect(replica.log).not.toMatch(/(server|sentinel)-pw/);
    replica.kill("SIGTERM");
    expect(await replica.exitCode()).toBe(0);
  });
});

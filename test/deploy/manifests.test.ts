import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Deployment, StatefulSet } from "kubernetes-models/apps/v1";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { Service } from "kubernetes-models/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { StopError } from "#model";
import { loadSettings } from "#settings";
import { root } from "../architecture/source-files.ts";
import { findProgram, provide } from "../setup/program.ts";

const run = promisify(execFile);
const read = (path: string) => readFile(join(root, path), "utf8");

/** The schemas of the API, by kind, and where TypeScript has the same. */
const kinds = {
  Deployment: { Model: Deployment, from: "kubernetes-models/apps/v1" },
  StatefulSet: { Model: StatefulSet, from: "kubernetes-models/apps/v1" },
  NetworkPolicy: { Model: NetworkPolicy, from: "kubernetes-models/networking.k8s.io/v1" },
  PodDisruptionBudget: { Model: PodDisruptionBudget, from: "kubernetes-models/policy/v1" },
  Service: { Model: Service, from: "kubernetes-models/v1" },
} as const;

const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.enum(["Deployment", "StatefulSet", "NetworkPolicy", "PodDisruptionBudget", "Service"]),
});

/** The parts of the pod that svcsync's own promises depend on. */
const workload = z.object({
  spec: z.object({
    replicas: z.number(),
    template: z.object({
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([
          z.object({
            env: z.array(z.object({ name: z.string(), value: z.string() })),
            livenessProbe: z.object({ httpGet: z.object({ path: z.string() }) }),
            readinessProbe: z.object({ httpGet: z.object({ path: z.string() }), timeoutSeconds: z.number() }),
          }),
        ]),
      }),
    }),
  }),
});

/** `/readyz` gives each part so long. */
const readinessSeconds = 4;

describe.each([
  { file: "svcsync", workload: "StatefulSet", replicas: 1, secret: {} },
  {
    file: "svcsync-replicas",
    workload: "Deployment",
    replicas: 3,
    secret: { STORE_URL: "postgres://svcsync@db.example/svcsync", QUEUE_URL: "redis://queue.example" },
  },
])("deploy/kubernetes/$file.yaml", (manifest) => {
  let objects: z.infer<typeof object>[];
  beforeAll(async () => {
    const documents = parseAllDocuments(await read(`deploy/kubernetes/${manifest.file}.yaml`));
    objects = z.array(object).parse(documents.map((document): unknown => document.toJS()));
  });

  it("fits the schemas of the API", () => {
    expect(objects.map(({ kind }) => kind)).toEqual([
      manifest.workload,
      "Service",
      "NetworkPolicy",
      "PodDisruptionBudget",
    ]);
    for (const { apiVersion, kind, ...rest } of objects) {
      const { Model } = kinds[kind];
      expect(Model.apiVersion).toBe(apiVersion);
      new Model(rest).validate();
    }
  });

  it("has no field that the API does not know", async () => {
    const lines = objects.flatMap(({ kind, ...rest }, at) => [
      `import type { I${kind} as Kind${at} } from ${JSON.stringify(kinds[kind].from)};`,
      `export const object${at}: Kind${at} = ${JSON.stringify({ ...rest, kind })};`,
    ]);
    expect(await compiled(lines)).toBe("");
    expect(await compiled(lines.map((line) => line.replace('"livenessProbe"', '"livenesProbe"')))).toContain(
      "livenesProbe",
    );
  });

  it("runs svcsync with settings that it takes, and gives it time to stop", () => {
    const { spec } = workload.parse(objects[0]);
    const [container] = spec.template.spec.containers;
    const given = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    const required = { SERVICE_URL: "https://a.example", SERVICE_TOKEN: "t" };
    const withSecret = (secret: Readonly<Record<string, string>>) =>
      loadSettings({ envFile: "/dev/null", environment: { ...required, ...secret, ...given } });
    const { settings } = withSecret(manifest.secret);
    // Pods with a store of their own would create every record again.
    expect(withSecret).toSatisfy((load) => manifest.replicas === 1 || isRefused(() => load({})));
    expect(spec.replicas).toBe(manifest.replicas);
    expect(settings.dataDir).toBe("/data");
    expect(spec.template.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(settings.delivery.stopGraceMs);
    expect(container.livenessProbe.httpGet.path).toBe("/healthz");
    expect(container.readinessProbe.httpGet.path).toBe("/readyz");
    expect(container.readinessProbe.timeoutSeconds).toBeGreaterThan(readinessSeconds);
  });
});

function isRefused(load: () => unknown): boolean {
  try {
    load();
    return false;
  } catch (thrown) {
    return thrown instanceof StopError && thrown.message.includes("STORE_URL: found nothing");
  }
}

/** What the TypeScript compiler complains of. A literal with a field that its type does not have is an error. */
async function compiled(lines: readonly string[]): Promise<string> {
  await mkdir(join(root, ".test-build"), { recursive: true });
  const folder = await mkdtemp(join(root, ".test-build/manifests-"));
  try {
    const file = join(folder, "manifests.ts");
    await writeFile(file, lines.join("\n"));
    const options = [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--types",
      "",
    ];
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    return await run(process.execPath, [compiler, ...options, file]).then(
      ({ stdout }) => stdout,
      (thrown: Error & { stdout: string }) => thrown.stdout,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe.each([
  { name: "compose.yaml", secrets: { REDIS_PASSWORD: "f00d" } },
  { name: "compose.replicas.yaml", secrets: { REDIS_PASSWORD: "f00d", STORE_PASSWORD: "bea7" } },
])("$name", ({ name, secrets }) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "svcsync-compose-"));
    await copyFile(join(root, ".env.example"), join(folder, ".env"));
    // Debian's Compose is older than the project's name.
    await writeFile(join(folder, "compose.yaml"), (await read(name)).replace(/^name: .*\n/m, ""));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The file as Compose reads it. */
  async function composed(environment: Readonly<Record<string, string>>): Promise<string> {
    const compose = await provide(() => findProgram(["docker-compose"]), "docker-compose");
    const env = { PATH: process.env["PATH"], ...environment };
    return (await run(compose, ["-f", join(folder, "compose.yaml"), "config"], { env, cwd: folder })).stdout;
  }

  it("is one that Compose accepts, with the passwords of the servers in their addresses", async () => {
    const { services } = z
      .object({ services: z.record(z.string(), z.object({ environment: z.record(z.string(), z.string()) })) })
      .parse(parse(await composed(secrets)));
    const { QUEUE_URL, STORE_URL = "" } = services["svcsync"]?.environment ?? {};
    expect(QUEUE_URL).toBe("redis://:f00d@queue:6379");
    expect(STORE_URL).toBe("STORE_PASSWORD" in secrets ? "postgres://svcsync:bea7@database:5432/svcsync" : "");
  });

  it("does not start without one of them, and says where it belongs", async () => {
    for (const secret of Object.keys(secrets))
      await expect(composed({ ...secrets, [secret]: "" })).rejects.toThrow(
        `is missing in .env, see the top of ${name}`,
      );
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Deployment, StatefulSet } from "kubernetes-models/apps/v1";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { Service } from "kubernetes-models/v1";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { root } from "../architecture/source-files.ts";
import { renderTemplate } from "./go-template.ts";

const folder = join(root, "deploy/helm/svcsync");
const read = (path: string) => readFileSync(join(folder, path), "utf8");
const models = { Deployment, StatefulSet, NetworkPolicy, PodDisruptionBudget, Service } as const;
const record = z.record(z.string(), z.unknown());
const defaults = record.parse(parse(read("values.yaml")));
const { appVersion, version } = z
  .object({ appVersion: z.string(), version: z.string() })
  .parse(parse(read("Chart.yaml")));

const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.enum(["Deployment", "StatefulSet", "NetworkPolicy", "PodDisruptionBudget", "Service"]),
});
type Rendered = z.infer<typeof object>;

/** The objects that an installation named `erp` gets. */
function rendered(given: Readonly<Record<string, unknown>> = {}): Rendered[] {
  const data = { Values: { ...defaults, ...given }, Release: { Name: "erp" }, Chart: { AppVersion: appVersion } };
  return readdirSync(join(folder, "templates"))
    .toSorted()
    .flatMap((name) => parseAllDocuments(renderTemplate(read(`templates/${name}`), data)))
    .map((document): unknown => document.toJS())
    .filter((value) => value !== null)
    .map((value) => object.parse(value));
}

/** What the manifest that the tests of the manifests hold has, in the order of the chart's files. */
function manifest(name: string): Rendered[] {
  const documents = parseAllDocuments(readFileSync(join(root, `deploy/kubernetes/${name}.yaml`), "utf8"));
  return documents.map((document) => object.parse(document.toJS()));
}

const workloadOf = (objects: readonly Rendered[]) =>
  objects.find(({ kind }) => kind === "Deployment" || kind === "StatefulSet")!;

const leavesOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, one) => sum + leavesOf(one), 0)
    : 1;

const byKind = (objects: readonly unknown[]) => new Map(objects.map((one) => [object.parse(one).kind, one]));

/** Without the names by which several installations are told apart. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/,"app.kubernetes.io\/instance":"erp"/g, "")
    .replaceAll('"imagePullPolicy":"IfNotPresent",', "")
    .replaceAll('"serviceName":"erp"', '"serviceName":"svcsync"')
    .replace(/^(.*?)"name":"erp"/, '$1"name":"svcsync"');
  return JSON.parse(text);
}

describe("the Helm chart", () => {
  it("has at most 20 values", () => {
    expect(leavesOf(defaults)).toBe(16);
  });

  it("is of the program's version", () => {
    const program = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
    expect({ appVersion, version }).toEqual({ appVersion: program.version, version: program.version });
  });

  it.each([
    { values: {}, file: "svcsync" },
    { values: { replicas: 3, sharedStore: true }, file: "svcsync-replicas" },
  ])("renders what the manifest $file has", ({ values, file }) => {
    expect(byKind(rendered(values).map(plain))).toEqual(byKind(manifest(file)));
  });

  it.each([
    {},
    { replicas: 3, sharedStore: true },
    {
      image: { repository: "r.example/s", tag: "1", pullPolicy: "Always", pullSecret: "registry" },
      networkPolicy: false,
    },
    { storage: { size: "1Gi", className: "fast" }, stopSeconds: 90 },
  ])("fits the schemas of the API with %j", (values) => {
    const objects = rendered(values);
    for (const { apiVersion, kind, ...rest } of objects) {
      expect(models[kind].apiVersion).toBe(apiVersion);
      new models[kind](rest).validate();
    }
    expect(objects.map(({ kind }) => kind)).toHaveLength("networkPolicy" in values ? 3 : 4);
  });

  it("refuses several pods that do not share a store", () => {
    expect(() => rendered({ replicas: 2 })).toThrow("replicas is more than 1, but sharedStore is false");
    expect(JSON.stringify(workloadOf(rendered({ sharedStore: true })))).toContain(
      '{"name":"STORE_SHARED","value":"true"}',
    );
  });

  it("takes what an installation gives", () => {
    const image = { repository: "r.example/s", tag: "", pullPolicy: "Always", pullSecret: "registry" };
    const text = JSON.stringify(
      workloadOf(rendered({ image, secret: "own", configMap: "mine", pageNames: "erp.example" })),
    );
    expect(text).toContain(`"image":"r.example/s:${appVersion}"`);
    for (const part of [
      '"secretName":"own"',
      '"configMap":{"name":"mine"}',
      '"imagePullSecrets":[{"name":"registry"}]',
    ])
      expect(text).toContain(part);
    expect(text).toContain('{"name":"HEALTH_NAMES","value":"erp.example"}');
  });
});

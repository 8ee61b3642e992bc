import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { schemaText, syncFileSchema } from "#mapping";
import { resourceNames } from "#service";
import { adapters } from "#sources";
import { version } from "#telemetry";
import { accepts } from "./json-schema.ts";
import * as returned from "./returns/sample.ts";
import * as sample from "./sample.ts";

const object = z.looseObject({});
const sources = { erp: { adapter: "sql", url: "${ERP_URL}" } };

/** A file whose one stream has these words; undefined takes one away. */
function stream(words: Record<string, unknown>): unknown {
  const it = { source: "erp", read: { table: "t", key: "k" }, resource: "ticket", fields: { name: "name" }, ...words };
  return {
    sources,
    streams: { it: Object.fromEntries(Object.entries(it).filter(([, value]) => value !== undefined)) },
  };
}

function source(erp: Record<string, string>): unknown {
  return { sources: { erp }, streams: {} };
}

describe("config/sync.schema.json", () => {
  it("is what the adapters, the service's resources and the words of the file are now (npm run schema writes it)", async () => {
    expect(await readFile("config/sync.schema.json", "utf8")).toBe(schemaText(adapters, resourceNames, version));
  });

  it("has no reference that leads nowhere", async () => {
    const text = await readFile("config/sync.schema.json", "utf8");
    const definitions = Object.keys(object.parse(object.parse(JSON.parse(text))["$defs"]));
    const referred = [...text.matchAll(/"#\/\$defs\/(\w+)"/g)].map(([, name]) => name);
    expect(new Set(referred)).toEqual(new Set(definitions));
  });

  it("accepts config/svcsync.yaml", async () => {
    const file: unknown = parse(await readFile("config/svcsync.yaml", "utf8"));
    expect(accepts(object.parse(JSON.parse(await readFile("config/sync.schema.json", "utf8"))), file)).toBe(true);
  });
});

describe("the JSON Schema of the sync file", () => {
  const schema = syncFileSchema(sample.adapters, sample.resources);

  it.each([
    ["a plain column", {}],
    ["every word of a field", { fields: { a: { lookup: "tag", value: { from: "x", map: { y: 1 } }, own: "create" } } }],
    ["a composite key", { fields: { a: { ref: "it", key: ["a", { expr: "b" }] } } }],
    ["tags with their defaults", { fields: { a: { tags: "x" } } }],
    ["match rules", { match: [["name"], { fields: ["name"], compare: "normalized" }] }],
    ["a deletion", { deleted: { when: "x = 1", set: { name: null } } }],
  ])("accepts %s", (_, words) => {
    expect(accepts(schema, stream(words))).toBe(true);
  });

  it.each([
    ["an unknown word of a stream", { sorce: "erp" }],
    ["an unknown resource", { resource: "tikcet" }],
    ["an unknown resource of a lookup", { fields: { a: { lookup: "tga", value: "x" } } }],
    ["an unknown word of a field", { fields: { a: { form: "x" } } }],
    ["an unknown word of the adapter", { read: { table: "t", key: "k", overlpa: "5m" } }],
    ["a stream without fields", { fields: undefined }],
    ["a stream without read", { read: undefined }],
  ])("refuses %s", (_, words) => {
    expect(accepts(schema, stream(words))).toBe(false);
  });

  it("refuses an unknown adapter and an unknown setting of a known one", () => {
    expect(accepts(schema, source({ adapter: "sql", url: "x" }))).toBe(true);
    expect(accepts(schema, source({ adapter: "sgl", url: "x" }))).toBe(false);
    expect(accepts(schema, source({ adapter: "sql", url: "x", timzone: "UTC" }))).toBe(false);
  });

  it.each([
    ["reports", returned.REPORT, true],
    [
      "a status",
      { resource: "ticket", to: { source: "erp", folder: "out" }, fields: { a: { keyOf: "it", id: "id" } } },
      true,
    ],
    ["a state", { state: "it", to: { source: "erp", table: "t" } }, true],
    ["an unknown list", { ...returned.REPORT, lines: [{ each: "tasks.worklogs", kind: "time" }] }, false],
    ["everything", { ...returned.REPORT, fields: "*" }, false],
  ])("accepts returns that are right, and refuses others: %s", (_, words, isRight) => {
    expect(accepts(schema, { ...object.parse(stream({})), returns: { it: words } })).toBe(isRight);
  });

  it("describes every word", () => {
    expect(undescribed(schema, "")).toEqual([]);
  });
});

/** The members of objects that have neither a description nor a reference, by their path. */
function undescribed(schema: unknown, path: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((item) => undescribed(item, path));
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([word, value]) => {
    if (word !== "properties") return undescribed(value, path);
    return Object.entries(object.parse(value)).flatMap(([name, member]) => [
      ...("description" in object.parse(member) || "$ref" in object.parse(member) ? [] : [`${path}.${name}`]),
      ...undescribed(member, `${path}.${name}`),
    ]);
  });
}

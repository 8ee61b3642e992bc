import { describe, expect, it } from "vitest";
import { z } from "zod";
import { loadSyncFile } from "#mapping";
import type { Json } from "#model";
import { resourceNames } from "#service";
import { adapters } from "#sources";

type Words = Readonly<Record<string, Json>>;

const oauth = { kind: "oauth", token_url: "https://erp.invalid/token", client_id: "svcsync", client_secret: "s3cr3t" };
const list = { path: "customers", key: "id" };

const sql: Words = { adapter: "sql", url: "sqlite:/nowhere/erp.sqlite" };
const rest: Words = { adapter: "rest", url: "https://erp.invalid" };
const odata: Words = { adapter: "odata", url: "https://erp.invalid" };
const odoo: Words = { adapter: "odoo", url: "https://erp.invalid", database: "erp", key: "k" };
const files: Words = { adapter: "files", folder: "/drop" };

const table = { table: "customers", key: "id" };
const dropped = { files: "customers_*.csv", kind: "full", format: "csv", key: "id" };

/** Loads a file with one source and one stream of these words. */
function load(source: Words, read: Words) {
  const stream = { source: "erp", read, resource: "customer", fields: { name: "name" } };
  // JSON is YAML.
  const text = JSON.stringify({ sources: { erp: source }, streams: { customers: stream } });
  return loadText(text);
}

function loadText(text: string) {
  const context = { file: "sync.yaml", environment: {}, adapters, resources: new Set(resourceNames) };
  const { sources, streams, secrets, warnings } = loadSyncFile(text, context);
  return { settings: sources[0]!.settings, read: streams[0]!.read, secrets, warnings };
}

/** `path: message` of each warning. */
function warned(source: Words, read: Words): string[] {
  return load(source, read).warnings.map(({ path, message }) => `${path}: ${message}`);
}

const now = (path: string, word: string) => `${path}: this word is now ${word}; the old spelling still works`;

describe("a word of an adapter in its old spelling", () => {
  it.each<[string, Words, Words, Words, string]>([
    ["sql", sql, {}, { ...table, page_size: 7 }, "streams.customers.read.page_size"],
    ["rest", rest, {}, { ...list, order_by_key: { sort: "id" } }, "streams.customers.read.order_by_key"],
    ["rest", rest, {}, { ...list, empty_on_404: true }, "streams.customers.read.empty_on_404"],
    ["rest", rest, { database_timezone: "UTC" }, list, "sources.erp.database_timezone"],
    ["odata", odata, {}, { entity: "customers", page_by: "link" }, "streams.customers.read.page_by"],
    ["odata", odata, { answer_limit_mb: 7 }, { entity: "customers" }, "sources.erp.answer_limit_mb"],
    ["odoo", odoo, { ca_file: "ca.pem" }, { model: "res.partner", fields: ["name"] }, "sources.erp.ca_file"],
    ["files", files, {}, { ...dropped, stable_for: "7s" }, "streams.customers.read.stable_for"],
  ])("works in %s, with a warning that names the new one (%#)", (_, source, settings, read, path) => {
    const word = path.split(".").at(-1)!;
    const current = word.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const asNow = (words: Words): Words =>
      Object.fromEntries(Object.entries(words).map(([name, value]) => [name === word ? current : name, value]));
    const old = load({ ...source, ...settings }, read);
    const fresh = load({ ...source, ...asNow(settings) }, asNow(read));
    expect([old.settings, old.read]).toEqual([fresh.settings, fresh.read]);
    expect(warned({ ...source, ...settings }, read)).toEqual([now(path, current)]);
    expect(fresh.warnings).toEqual([]);
  });

  it("works inside of other words, and what is secret there stays secret", () => {
    const paging = { kind: "page", parameter: "page", size_parameter: "per_page" };
    const { settings, read, secrets } = load({ ...rest, auth: oauth }, { ...list, paging });
    expect(settings).toMatchObject({ auth: { clientId: "svcsync", clientSecret: "s3cr3t" } });
    expect(read).toMatchObject({ paging: { sizeParameter: "per_page" } });
    expect(secrets).toContain("s3cr3t");
    expect(warned({ ...rest, auth: oauth }, { ...list, paging })).toEqual([
      now("sources.erp.auth.token_url", "tokenUrl"),
      now("sources.erp.auth.client_id", "clientId"),
      now("sources.erp.auth.client_secret", "clientSecret"),
      now("streams.customers.read.paging.size_parameter", "sizeParameter"),
    ]);
  });

  it("works for a choice too", () => {
    expect(load(files, { ...dropped, ready: "at_once" }).read).toMatchObject({ ready: "atOnce" });
    expect(warned(files, { ...dropped, ready: "at_once" })).toEqual([
      "streams.customers.read.ready: this value is now atOnce; the old spelling still works",
    ]);
  });

  it("is refused beside the new one, which names both", () => {
    const sftp = { host: "h", username: "u", private_key: "a", privateKey: "b", hostKey: "A".repeat(43) };
    expect(() => load({ ...files, sftp }, dropped)).toThrow(
      /^sync.yaml:1:\d+ sources.erp.sftp.private_key: found both "private_key" and "privateKey", two spellings of one word: remove private_key$/,
    );
  });

  it("is pointed at with line and column, once where an anchor repeats it", () => {
    const text = `
sources:
  erp: { adapter: odata, url: https://erp.invalid }
streams:
  customers: &base
    source: erp
    resource: customer
    fields: { name: name }
    read:
      entity: customers
      page_by: link
  contacts: *base
`;
    expect(loadText(text).warnings).toMatchObject([{ line: 11, column: 7 }]);
  });

  it("does not move the place of a problem below it", () => {
    const paging = "paging: { kind: page, parameter: page, size_parameter: 5 }";
    const text = `
sources: { erp: { adapter: rest, url: https://erp.invalid } }
streams:
  customers:
    source: erp
    resource: customer
    fields: { name: name }
    read:
      path: customers
      key: id
      order_by_key: [id]
      ${paging}
`;
    expect(() => loadText(text)).toThrow(
      "sync.yaml:11:21 streams.customers.read.orderByKey: found a list, expected an object\n" +
        "sync.yaml:12:62 streams.customers.read.paging.sizeParameter: found 5, expected text",
    );
  });

  it("is not taken for a word that was never meant", () => {
    expect(() => load(sql, { ...table, page_syze: 7 })).toThrow(
      'read.page_syze: found the unknown word "page_syze", did you mean "pageSize"?',
    );
  });
});

describe("the user's own names", () => {
  it("stay as they are, however they are spelled", () => {
    const own = { client_id: "a", order_by_key: "b", from_exclusive: "c" };
    const login = { kind: "login", url: "/login", body: own };
    const { settings, read, warnings } = load(
      { ...rest, headers: own, auth: login },
      { ...list, method: "POST", parameters: own, range: own, after: own, body: { page_by: own } },
    );
    expect(settings).toMatchObject({ headers: own, auth: { body: own } });
    expect(read).toMatchObject({ parameters: own, range: own, after: own, body: { page_by: own } });
    expect(warnings).toEqual([]);
  });

  it.each<[Words, Words]>([
    [odoo, { model: "res.partner", fields: ["page_by"], context: { stable_for: 1 }, domain: [["ca_file", "=", 1]] }],
    [files, { ...dropped, dates: { stable_for: "DD.MM.YYYY" }, columns: ["at_once"], numbers: ["stable_for"] }],
    [sql, { table: "page_size", key: "page_size", columns: ["page_size"] }],
    [odata, { entity: "page_by", key: ["page_by"], select: ["page_by"] }],
  ])("stay in every adapter (%#)", (source, read) => {
    const loaded = load(source, read);
    expect(loaded.read).toMatchObject({ ...read, key: expect.anything() });
    expect(loaded.warnings).toEqual([]);
  });
});

describe("the words of every adapter", () => {
  it.each([...adapters.values()])("are in camelCase: $name", ({ settings, read }) => {
    const shapes = [settings, read].map((schema) => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
    expect(wordsOf(shapes).filter((word) => !/^[a-z][a-zA-Z0-9]*$/.test(word))).toEqual([]);
  });
});

function wordsOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([name, member]: [string, unknown]) => [
    ...(name === "properties" && typeof member === "object" && member !== null ? Object.keys(member) : []),
    ...wordsOf(member),
  ]);
}

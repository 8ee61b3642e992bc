import { describe, expect, it } from "vitest";
import { StopError } from "#model";
import { load } from "./sample.ts";

/** What is wrong with a file, as an operator reads it. */
function problemsOf(text: string, environment?: Record<string, string>): string[] {
  try {
    load(text, environment);
  } catch (error) {
    if (error instanceof StopError && error.code === "E_SYNC_FILE") return error.message.split("\n");
    throw error;
  }
  return [];
}

/** A file of which only the words of one stream matter; they begin in line 5, column 5. */
function stream(words: string): string {
  const lines = words.trim().split("\n");
  const given = new Set(lines.map((line) => line.split(":")[0]));
  const rest = ["source: erp", "read: { table: t, key: k }", "resource: customer", "fields: { name: name }"].filter(
    (line) => !given.has(line.split(":")[0]),
  );
  const body = [...lines, ...rest].map((line) => `    ${line}\n`).join("");
  return `sources:\n  erp: { adapter: sql, url: x }\nstreams:\n  it:\n${body}`;
}

function fields(words: string): string {
  const lines = words
    .trim()
    .split("\n")
    .map((line) => `  ${line.trim()}`);
  return stream(`fields:\n${lines.join("\n")}`);
}

function orders(tasks: string): string {
  return stream(`resource: svcDocument\nfields: { name: name, tasks: ${tasks} }`);
}

describe("a sync file that is too large", () => {
  it.each([
    [
      "in characters",
      `a: ${"x".repeat(1_100_000)}`,
      "sync.yaml:1:1 found 1,100,003 characters, expected at most 1,048,576",
    ],
    [
      "in values",
      `a:\n${"  - b\n".repeat(60_000)}`,
      "sync.yaml:50001:5 found more names and values, expected at most 50,000",
    ],
    ["in names", `a: {${"b: 1, ".repeat(60_000)}}`, "sync.yaml:1:149999 found more names and values"],
    ["in lists", `a: ${"[".repeat(60_000)}`, "sync.yaml:1:50003 found more names and values"],
    ["in quoted values", `a: [${"'b', ".repeat(60_000)}]`, "sync.yaml:1:249995 found more names and values"],
  ])("%s is refused before it is parsed", (_what, text, told) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(told)]);
  });
});

describe("the problems of a sync file", () => {
  it("are told all at once, in reading order", () => {
    const text = `
sources:
  erp: { adapter: sgl, url: x }
  old: { adapter: sql, url: "\${OLD_ULR}" }
streams:
  customers:
    source: old
    sorce: erp
    read: { table: customers, kye: customer_no }
    resource: custmer
    every: 30
    match: [customerNo]
    gone: recrate
    fields:
      customerId: customer no
      name: { exp: name1 }
      customerStatus: { lookup: customerStatsu, value: status }
  contacts:
    source: crm
    read: { table: contacts, key: k }
    resource: customerContact
    fields:
      customer: { ref: customer, key: customer_no }
`;
    expect(problemsOf(text, { OLD_URL: "x" })).toEqual([
      'sync.yaml:3:19 sources.erp.adapter: found the unknown adapter "sgl", did you mean "sql"?',
      'sync.yaml:4:30 sources.old.url: the variable OLD_ULR is not set or empty, did you mean "OLD_URL"?; set it in the env file (.env, or the file of --env-file) or in the environment of svcsync: OLD_ULR=…',
      'sync.yaml:8:5 streams.customers.sorce: found the unknown word "sorce", did you mean "source"?',
      "sync.yaml:9:5 streams.customers.read.key: found nothing, expected text or a list",
      'sync.yaml:9:31 streams.customers.read.kye: found the unknown word "kye", did you mean "key"?',
      'sync.yaml:10:15 streams.customers.resource: found the unknown resource "custmer", did you mean "customer"?',
      "sync.yaml:11:12 streams.customers.every: found 30, expected a duration such as 500ms, 90s, 5m, 12h or 7d",
      'sync.yaml:12:13 streams.customers.match[0]: found "customerNo", which is not under fields, did you mean "customerId"?',
      'sync.yaml:13:11 streams.customers.gone: found "recrate", expected one of park, recreate, did you mean "recreate"?',
      'sync.yaml:15:19 streams.customers.fields.customerId: found "customer no", expected a column or a path like address.city; odd names go into backticks, expressions under expr',
      'sync.yaml:16:15 streams.customers.fields.name.exp: found the unknown word "exp", did you mean "expr"?',
      'sync.yaml:17:33 streams.customers.fields.customerStatus.lookup: found the unknown resource "customerStatsu", did you mean "customerStatus"?',
      'sync.yaml:19:13 streams.contacts.source: found the unknown source "crm", expected one of erp, old',
      'sync.yaml:23:24 streams.contacts.fields.customer.ref: found the unknown stream "customer", did you mean "customers"?',
    ]);
  });

  it("carry their places as facts", () => {
    expect(() => load(stream("gone: away"))).toThrow(
      expect.objectContaining({
        code: "E_SYNC_FILE",
        family: "stop",
        details: {
          file: "sync.yaml",
          problems: [
            { line: 5, column: 11, path: "streams.it.gone", message: 'found "away", expected one of park, recreate' },
          ],
        },
      }),
    );
  });

  it.each([
    ["nothing at all", "", "sync.yaml:1:1 found null, expected an object with sources and streams"],
    ["a list", "- a\n", "sync.yaml:1:1 found a list, expected an object with sources and streams"],
    [
      "a key twice",
      `${stream("gone: park")}    gone: park\n`,
      'sync.yaml:10:5 found "gone" a second time (first in line 5), expected each name once: remove or rename one of them',
    ],
    [
      "an unknown anchor",
      "sources: *erp\n",
      'sync.yaml:1:10 found *erp, and no &erp above it; expected the name of an anchor, or quotes around a text that begins with *: "*erp"',
    ],
    [
      "an open bracket",
      "sources: [\n",
      "sync.yaml:2:1 found [ without ] before this line, expected ] at its end: add it, or indent the lines between",
    ],
  ])("name the place in text that is no YAML or no sync file: %s", (_, text, problem) => {
    expect(problemsOf(text)).toContain(problem);
  });

  it.each([
    ["read:", "sync.yaml:5:5 streams.it.read: found null, expected an object"],
    ["fields: {}", "sync.yaml:5:13 streams.it.fields: found no fields, expected at least one, e.g. name: a_column"],
    [
      "match: [tags]\nfields: { tags: { tags: tags } }",
      'sync.yaml:5:13 streams.it.match[0]: found "tags", but tags name no record',
    ],
    [
      "match: [customFields.No]\nfields: { customFields.No: a }",
      'sync.yaml:5:13 streams.it.match[0]: found "customFields.No", but the service cannot look for a custom field',
    ],
    [
      "match: [[name], { fields: [nmae], compare: loose }]",
      'sync.yaml:5:48 streams.it.match[1].compare: found "loose", expected one of exact, caseInsensitive, normalized',
    ],
    [
      "match: [[name], { fields: [nmae] }]",
      'sync.yaml:5:32 streams.it.match[1].fields[0]: found "nmae", which is not under fields, did you mean "name"?',
    ],
    ["match: []", "sync.yaml:5:12 streams.it.match: found an empty list, expected at least 1 item"],
    [
      "every: 5min",
      'sync.yaml:5:12 streams.it.every: found "5min", expected a duration such as 500ms, 90s, 5m, 12h or 7d',
    ],
    ["when: 1", "sync.yaml:5:11 streams.it.when: found 1, expected a JSONata expression"],
    ["deleted: {}", "sync.yaml:5:14 streams.it.deleted: expected exactly one of set, delete: true, ignore: true"],
    [
      "deleted: { delete: true, ignore: true }",
      "sync.yaml:5:14 streams.it.deleted: expected exactly one of set, delete: true, ignore: true",
    ],
    ["deleted: { delete: false }", "sync.yaml:5:24 streams.it.deleted.delete: found false, expected true"],
    [
      "deleted: { set: { info: gone } }",
      "sync.yaml:5:23 streams.it.deleted.set.info: not under fields, so a record that comes back would keep this value",
    ],
    [
      "deleted: { set: { name: gone } }\nfields: { name: { from: a, own: create } }",
      "sync.yaml:5:23 streams.it.deleted.set.name: own: create under fields, so a record that comes back would keep this value",
    ],
    [
      "deleted: { set: { name: gone } }\nfields: { name: { from: a, own: empty } }",
      "sync.yaml:5:23 streams.it.deleted.set.name: own: empty under fields, so a record that comes back would keep this value",
    ],
    [
      "deleted: { set: { tags: gone } }\nfields: { tags: { tags: a } }",
      "sync.yaml:5:23 streams.it.deleted.set.tags: tags are added and removed, a deletion cannot set them",
    ],
    [
      "create: never",
      "sync.yaml:5:13 streams.it.create: found never without match, expected match: by it, svcsync finds the records that the service has",
    ],
    [
      "create: never\nmatch: [name]\ngone: recreate\nfields: { name: name }",
      "sync.yaml:7:11 streams.it.gone: found recreate beside create: never, expected park, or create: always",
    ],
    [
      "match: [name]\nmoved: recreate\ncreate: never\nfields: { name: name }",
      "sync.yaml:6:12 streams.it.moved: found recreate beside create: never, expected park, or create: always",
    ],
    [
      "deleted: { set: { name: { lookup: tga, value: x } } }",
      'sync.yaml:5:39 streams.it.deleted.set.name.lookup: found the unknown resource "tga", did you mean "tag"?',
    ],
  ])("are found in a stream's words: %s", (words, problem) => {
    expect(problemsOf(stream(words))).toEqual([problem]);
  });

  it("are found in fields of whole records, which an update may create again", () => {
    const problem =
      "sync.yaml:6:27 streams.it.fields.tasks: found whole records, which each update may create again; expected own: create, or a stream of their own";
    for (const words of ["positions", "{ from: positions }"]) expect(problemsOf(orders(words))).toEqual([problem]);
    expect(problemsOf(orders("{ from: positions, own: create }"))).toEqual([]);
  });

  it.each([
    ["a:", "found null, expected a column's name, or one of from, expr, const, lookup, ref, tags"],
    ["a: 1", "found 1, expected a column's name, or one of from, expr, const, lookup, ref, tags"],
    [
      "a: { foo: 1 }",
      "found an object with foo, expected a column's name, or one of from, expr, const, lookup, ref, tags",
    ],
  ])("are found in a field's kind: %s", (words, message) => {
    expect(problemsOf(fields(words))).toEqual([expect.stringMatching(/^sync.yaml:6:\d+ streams.it.fields.a: /)]);
    expect(problemsOf(fields(words))[0]).toContain(message);
  });

  it.each([
    [
      "a: first name",
      '10 streams.it.fields.a: found "first name", expected a column or a path like address.city; odd names go into backticks, expressions under expr',
    ],
    ["1st: a", '7 streams.it.fields.1st: found "1st", expected a field of the resource, or customFields.<id or name>'],
    ["a: { from: x, map: {} }", "26 streams.it.fields.a.map: found an empty table, expected at least one entry"],
    [
      "a: { from: x, own: creat }",
      '26 streams.it.fields.a.own: found "creat", expected one of always, create, empty, did you mean "create"?',
    ],
    [
      "a: { from: x, expr: y }",
      '21 streams.it.fields.a.expr: found the unknown word "expr", expected one of from, map, default, own',
    ],
    [
      "a: { lookup: tag }",
      "7 streams.it.fields.a.value: found nothing, expected a column's name, or one of from, expr, const",
    ],
    [
      "a: { lookup: tag, value: { fron: x } }",
      '34 streams.it.fields.a.value.fron: found the unknown word "fron", did you mean "from"?',
    ],
    [
      "a: { tags: x, resource: tga }",
      '31 streams.it.fields.a.resource: found the unknown resource "tga", did you mean "tag"?',
    ],
    ["a: { ref: itt, key: k }", '17 streams.it.fields.a.ref: found the unknown stream "itt", did you mean "it"?'],
    ["a: { ref: it, key: [] }", "26 streams.it.fields.a.key: found an empty list, expected at least 1 item"],
  ])("are found in a field's words: %s", (words, problem) => {
    expect(problemsOf(fields(words))).toEqual([`sync.yaml:6:${problem}`]);
  });

  it.each([
    [
      'a: { expr: "$trim(x & " }',
      '29 streams.it.fields.a.expr: at character 11: Expected ")" before end of expression',
    ],
    ['a: { expr: "x y" }', '21 streams.it.fields.a.expr: at character 3: Syntax error: "y"'],
    ["a: { expr: x y }", '20 streams.it.fields.a.expr: at character 3: Syntax error: "y"'],
    [
      'a: { expr: "x != null" }',
      "21 streams.it.fields.a.expr: at character 3: NULL columns are left out in expressions, so nothing equals null: write $exists(column) instead",
    ],
    [
      'a: { expr: "$uppercas(x)" }',
      '19 streams.it.fields.a.expr: at character 1: found the unknown $uppercas, did you mean "uppercase"?',
    ],
    [
      'a: { expr: "x & $now()" }',
      "23 streams.it.fields.a.expr: at character 5: $now gives another value each time: the same row must always give the same value",
    ],
    [
      'a: { expr: "$eval(x)" }',
      "19 streams.it.fields.a.expr: at character 1: $eval would run text out of the row as an expression",
    ],
  ])("point into an expression: %s", (words, problem) => {
    expect(problemsOf(fields(words))).toEqual([`sync.yaml:6:${problem}`]);
  });

  it("point at the beginning of an expression that is folded over lines, and count", () => {
    expect(problemsOf(stream("when: >-\n  a = 1 and\n  b = $c"))).toEqual([
      "sync.yaml:5:11 streams.it.when: at character 15: found the unknown $c",
    ]);
  });

  it("show a circle of references once, with the way round", () => {
    const text = stream("fields: { a: { ref: b, key: k } }").replace(
      /$/,
      "  b: { source: erp, read: { table: t, key: k }, resource: tag, fields: { c: { ref: it, key: k } } }\n",
    );
    expect(problemsOf(text)).toEqual([
      "sync.yaml:9:84 streams.b.fields.c.ref: streams refer to each other in a circle (it → b → it): none of them could be first",
    ]);
  });

  it("name a slip of the syntax once, without the echoes that follow it", () => {
    const text = "sources:\n  erp:\n    adapter: sql\n   url: x\n  shop: { adapter: sql\nstreams:\n  a: b: c\n";
    expect(problemsOf(text)).toEqual([expect.stringMatching(/^sync.yaml:4:/)]);
    const apart = "sources: {}\nsources: {}\nstreams: { a: `my col`, b: @x }\nstreams: {}\n";
    expect(problemsOf(apart)).toHaveLength(4);
  });

  it("show as much of a long text as says which one it is", () => {
    const [problem] = problemsOf(stream(`resource: ${"x".repeat(20_000)}`));
    expect(problem).toContain("sync.yaml:5:15 streams.it.resource: ");
    expect(problem!.length).toBeLessThan(5_000);
  });

  it("name a map that stands where a name is wanted, as two braces in a row make it", () => {
    expect(problemsOf(stream("resource: {{RESOURCE}}"))).toContain(
      "sync.yaml:5:16 found { or [ where a name or a text is expected: put quotes around a text that begins with it",
    );
  });

  it("follow anchors and merges to where the words stand", () => {
    const text = `
sources: { erp: { adapter: sql, url: x } }
streams:
  a: &base
    source: erp
    read: { table: t, key: k }
    resource: tga
    fields: { name: name }
  b:
    <<: *base
    gone: recreate
`;
    expect(problemsOf(text)).toEqual([
      'sync.yaml:7:15 streams.a.resource: found the unknown resource "tga", did you mean "tag"?',
      'sync.yaml:7:15 streams.b.resource: found the unknown resource "tga", did you mean "tag"?',
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { fileWith, firstField, load, mapField, streamWith } from "./sample.ts";

function child(ref: string) {
  return { fields: { a: { ref, key: "k" } } };
}

describe("a stream of the sync file", () => {
  it("comes after the streams that it refers to, and else in the order of the file", () => {
    const base = { source: "erp", read: { table: "t", key: "k" }, resource: "tag", fields: { name: "name" } };
    const file = {
      sources: { erp: { adapter: "sql", url: "x" } },
      streams: {
        a: { ...base, ...child("c") },
        b: base,
        c: { ...base, ...child("d") },
        d: base,
        e: { ...base, ...child("e") },
      },
    };
    expect(load(JSON.stringify(file)).streams.map(({ name }) => name)).toEqual(["d", "c", "a", "b", "e"]);
  });

  it("tells what it owns, refers to and looks up by names in the file", () => {
    const stream = streamWith({
      fields: {
        customer: { ref: "customers", key: "customer_no" },
        customerContact: { ref: "contacts", key: ["customer_no", "contact_no"] },
        owner: { ref: "customers", key: "owner_no" },
        priority: { lookup: "priority", value: { from: "prio", map: { 1: "High", 2: "Low" }, default: "Low" } },
        ticketStatus: { lookup: "ticketStatus", by: "id", value: { const: 7 } },
        customerStatus: { lookup: "customerStatus", value: "status" },
        tags: { tags: { const: ["ERP", "ERP"] } },
      },
      deleted: { set: { priority: { lookup: "priority", value: "Low" }, ticketStatus: 3 } },
    });
    expect(stream.parents).toEqual(["customers", "contacts"]);
    expect(stream.ownedFields).toEqual(
      "customer customerContact owner priority ticketStatus customerStatus tags".split(" "),
    );
    expect(stream.constantLookups).toEqual([
      { resource: "priority", by: "name", value: "High" },
      { resource: "priority", by: "name", value: "Low" },
      { resource: "ticketStatus", by: "id", value: 7 },
      { resource: "tag", by: "name", value: "ERP" },
    ]);
    expect(stream.deletion).toBe("set");
  });

  it("has the defaults that the reference names", () => {
    expect(streamWith({})).toMatchObject({
      everyMs: undefined,
      match: [],
      create: "always",
      gone: "park",
      moved: "park",
      deletion: "ignore",
      parents: [],
    });
    expect(streamWith({ every: "2h" }).everyMs).toBe(7_200_000);
  });

  it("takes one match rule or several", () => {
    expect(streamWith({ match: ["name"] }).match).toEqual([{ fields: ["name"], compare: "exact" }]);
    expect(streamWith({ match: [["name"], { fields: ["name"], compare: "normalized" }] }).match).toEqual([
      { fields: ["name"], compare: "exact" },
      { fields: ["name"], compare: "normalized" },
    ]);
  });

  it("changes its fingerprint with what it maps, and with nothing else", () => {
    const base = streamWith({ fields: { a: "x", b: "y" }, match: ["a"] }).fingerprint;
    const same = [
      { fields: { b: "y", a: "x" }, match: ["a"] },
      { fields: { a: "x", b: "y" }, every: "5m", gone: "recreate", read: { table: "v", key: "k" } },
    ];
    const other = [
      { fields: { a: "x", b: "z" } },
      { fields: { a: "x", b: { from: "y", own: "create" } } },
      { fields: { a: "x", b: "y" }, match: ["a"], create: "never" },
      { fields: { a: "x", b: "y" }, resource: "tag" },
      { fields: { a: "x", b: "y" }, when: "x = 1" },
      { fields: { a: "x", b: "y" }, deleted: { delete: true } },
    ];
    expect(same.map((words) => streamWith(words).fingerprint === base)).toEqual([true, true]);
    expect(other.map((words) => streamWith(words).fingerprint === base)).toEqual(other.map(() => false));
  });

  it("keeps its adapter's words as the adapter parsed them", () => {
    expect(load(fileWith({})).sources).toEqual([{ name: "erp", adapter: "sql", settings: { url: "sqlite:erp.db" } }]);
    expect(streamWith({}).read).toEqual({ table: "t", key: "k" });
  });
});

describe("mapping a row", () => {
  it("takes the ERP's word for a deletion without looking at the row", async () => {
    const stream = streamWith({ deleted: { when: "deleted = 1", set: { name: "gone" } } });
    expect(await stream.map({}, true)).toEqual({
      kind: "deleted",
      policy: "set",
      fields: [{ name: "name", value: { kind: "value", value: "gone" }, own: "always" }],
    });
    expect(await streamWith({}).map({}, true)).toEqual({ kind: "deleted", policy: "ignore" });
  });

  it("puts a deletion before leaving a row out", async () => {
    const stream = streamWith({ when: "status = 'A'", deleted: { when: "deleted = 1", delete: true } });
    expect(await stream.map({ status: "I", deleted: 1, name: "x" }, false)).toEqual({
      kind: "deleted",
      policy: "delete",
    });
    expect(await stream.map({ status: "I", deleted: 0, name: "x" }, false)).toEqual({
      kind: "skip",
      reason: "left out by when",
    });
  });

  it("parks a row for which a condition is neither true nor false", async () => {
    const stream = streamWith({ when: "active" });
    await expect(stream.map({ active: 1, name: "x" }, false)).rejects.toThrow(
      "it.when: the expression gives a number, expected true or false (e.g. column = 1)",
    );
  });

  it("parks a row that lacks a column, even one named like a part of every object", async () => {
    await expect(mapField("nmae", { name: "x" })).rejects.toMatchObject({
      code: "E_MAPPING",
      message: 'it.field: the row has no column "nmae", did you mean "name"?',
      details: { stream: "it", field: "field", column: "nmae" },
    });
    await expect(mapField("constructor", { name: "x" })).rejects.toThrow('no column "constructor"');
  });

  it("is identified by its match fields alone, whatever the others hold", async () => {
    const fields = { info: { expr: "$number(info)" }, name: { expr: "$uppercase(name)" }, phone: "phone" };
    const stream = streamWith({ match: ["name"], fields });
    const row = { info: "odd", name: "acme" };
    await expect(stream.map(row, false)).rejects.toThrow("it.info: the expression failed");
    expect(await stream.identify(row)).toEqual([
      { name: "name", value: { kind: "value", value: "ACME" }, own: "always" },
    ]);
  });

  it.each([
    ["name.x", { name: "Acme" }, '"name" holds text, which has no member "x": write name, or correct the path'],
    ["list.x", { list: [{ x: 1 }] }, '"list" holds a list, which has no member "x"'],
    ["a.b.c", { a: { b: 7 } }, '"a.b" holds a number, which has no member "c"'],
  ])("parks a row in which the path %s leads into what is no object", async (path, row, message) => {
    await expect(mapField(path, row)).rejects.toMatchObject({
      code: "E_MAPPING",
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ["a.b.c", { a: null }],
    ["a.b.c", { a: {} }],
    ["a.b.c", { a: { b: null } }],
  ])("takes what an object lacks for null: %s", async (path, row) => {
    expect(await mapField(path, row)).toEqual({ kind: "value", value: null });
  });

  it("parks a value that is not in map, saying what is", async () => {
    await expect(mapField({ from: "a", map: { x: 1, y: 2 } }, { a: "hunter2" })).rejects.toThrow(
      'it.field: the value "hunter2" is not in map, which knows x, y',
    );
  });

  it("finds a value in map however its accents are coded", async () => {
    const words = { from: "a", map: { "gel\u00f6st": "Solved", "gema\u0308ht": "Mown" }, default: "other" };
    expect(await mapField(words, { a: "gelo\u0308st" })).toEqual({ kind: "value", value: "Solved" });
    expect(await mapField(words, { a: "gem\u00e4ht" })).toEqual({ kind: "value", value: "Mown" });
  });

  it.each([
    ["01", "Lead"],
    [1, "Lead"],
    ["+49", "Germany"],
    ["1E1", "Ward"],
    ["007", "Quoted"],
    [7, "Plain"],
    ["True", "Yes"],
    [true, "Yes"],
    ["2", "none"],
  ])("finds a code in map as it is written, and as YAML reads it: %j", async (a, value) => {
    const map = `{ 01: Lead, +49: Germany, 1E1: Ward, 007: Plain, "007": Quoted, True: "Yes" }`;
    const file = fileWith({ fields: { field: { from: "a", map: { here: 1 }, default: "none" } } });
    const { streams } = load(file.replace('{"here":1}', map));
    const mapped = await streams.find(({ name }) => name === "it")!.map({ a }, false);
    expect(firstField(mapped)).toEqual({ kind: "value", value });
  });

  it.each([
    [{ lookup: "tag", value: "a" }, { a: true }, "a lookup needs text or a number, found true or false"],
    [{ tags: "a" }, { a: [{}] }, "a lookup needs text or a number, found an object"],
    [{ ref: "customers", key: "a" }, { a: ["x"] }, "a key needs text or a number, found a list"],
  ])("parks what cannot name a record: %j", async (words, row, message) => {
    await expect(mapField(words, row)).rejects.toThrow(`it.field: ${message}`);
  });

  it("maps each tag alone", async () => {
    const words = { tags: { from: "a", map: { x: "X", y: "" }, default: "other" }, separator: ";", by: "id" };
    expect(await mapField(words, { a: "x; y;z;x;" })).toEqual({
      kind: "tags",
      resource: "tag",
      by: "id",
      values: ["X", "other"],
    });
  });

  it.each([
    ["x;", ["X"]],
    [["x", "", null], ["X"]],
    [null, ["other"]],
    [" ", ["other"]],
  ])("takes the default for no names at all, not for blanks among them: %j", async (a, values) => {
    const words = { tags: { from: "a", map: { x: "X" }, default: "other" }, separator: ";" };
    expect(await mapField(words, { a })).toMatchObject({ kind: "tags", values });
  });
});

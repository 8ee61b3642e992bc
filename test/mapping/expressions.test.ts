import { describe, expect, it } from "vitest";
import type { Row } from "#model";
import { functionNames } from "../../src/mapping/compile/expression-fault.ts";
import { mapField, streamWith } from "./sample.ts";

async function valueOf(expr: string, row: Row): Promise<unknown> {
  const mapped = await mapField({ expr }, row);
  return mapped.kind === "value" ? mapped.value : mapped;
}

describe("an expression", () => {
  it("sees no NULLs, at any depth", async () => {
    expect(await valueOf("a & '-' & b.c & '-' & d[0].e", { a: null, b: { c: null }, d: [{ e: null }] })).toBe("--");
    expect(await valueOf("$exists(a)", { a: null })).toBe(false);
  });

  it("that gives nothing gives null", async () => {
    expect(await valueOf("a", { a: null })).toBeNull();
    expect(await valueOf("a.b.c", { a: {} })).toBeNull();
  });

  it("keeps text, numbers, truth values, lists and objects as they are", async () => {
    expect(await valueOf("{'a': [1, 'x', true], 'b': {'c': n}}", { n: 2 })).toEqual({ a: [1, "x", true], b: { c: 2 } });
  });

  it.each([
    ["a & b", ["a"], "b"],
    ["$uppercase(b)", [], "b"],
    ["$.b", [], "b"],
    ["list[x = 1].y & b", ["list"], "b"],
    ["a = 1 ? a : b", ["a"], "b"],
    ["$map(list, function($v) { $v & b })", ["list"], "b"],
    ["(x := 1; `odd name`)".replace("x", "$x"), [], "odd name"],
  ])("is parked when a column that it reads is missing: %s", async (expr, present, missing) => {
    const row = Object.fromEntries(present.map((name) => [name, 1]));
    await expect(valueOf(expr, row)).rejects.toThrow(`it.field: the row has no column "${missing}"`);
  });

  it.each(["$exists(b) ? b : 'none'", "b ?? 'none'", "list[b = 1] ?? 'none'", "list.b ?? 'none'"])(
    "may ask for a column that is not there: %s",
    async (expr) => {
      expect(await valueOf(expr, { list: null })).toBe("none");
    },
  );

  it.each([
    ["a - 1", 'the expression failed: The left side of the "-" operator must evaluate to a number'],
    ["$number(a)", "the expression failed: Unable to cast value to a number: text"],
    [
      "a < 1",
      'the expression failed: The values text and a number either side of operator "<" must be of the same data type',
    ],
    ["$utc(a, 'Europe/Berlin')", "the expression failed: $utc wants an ISO date and a time zone"],
    ["$utc('2026-01-01', a)", "the expression failed: $utc wants an ISO date and a time zone"],
    ["function($x) { $x }", "the expression gives a function, wanted a value"],
    ["$trim", "the expression gives a function, wanted a value"],
  ])("that fails parks its record and never shows the row's values: %s", async (expr, message) => {
    const failure = await valueOf(expr, { a: "hunter2" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "E_MAPPING", family: "park", details: { stream: "it", field: "field" } });
    expect(String(failure)).toContain(`it.field: ${message}`);
    expect(JSON.stringify(failure) + String(failure)).not.toContain("hunter2");
  });

  it("shows what its author put into $error", async () => {
    await expect(valueOf("$error('no such branch')", {})).rejects.toThrow("the expression failed: no such branch");
  });

  it("that runs away parks its record", async () => {
    await expect(valueOf("($f := function($n) { $f($n + 1) }; $f(1))", {})).rejects.toThrow("Evaluation timeout");
    await expect(valueOf("($f := function($n) { 1 + $f($n) }; $f(1))", {})).rejects.toThrow("Stack overflow");
    await expect(valueOf("[1..200000].($ & a)", { a: 1 })).rejects.toThrow("maximum sequence length");
  });

  it("may name values of its own, and every function that is offered is there", async () => {
    expect(await valueOf("($up := $uppercase; list@$v#$i.($up($v) & $i))", { list: ["a", "b"] })).toEqual(["A0", "B1"]);
    for (const name of functionNames) expect(await valueOf(`$type($${name})`, {})).toBe("function");
  });

  it("answers the same when many rows are mapped at once", async () => {
    const stream = streamWith({ fields: { name: { expr: "$uppercase(a) & $uppercase(b)" } } });
    const rows = Array.from({ length: 200 }, (_, at) => ({ a: `x${at}`, b: at % 2 === 0 ? null : "y" }));
    const mapped = await Promise.all(rows.map((row) => stream.map(row, false)));
    expect(mapped.map((one) => one.kind === "record" && one.fields[0]!.value)).toEqual(
      rows.map(({ a, b }) => ({ kind: "value", value: a.toUpperCase() + (b ?? "").toUpperCase() })),
    );
  });
});

describe("$utc", () => {
  it.each([
    ["2026-03-29 01:59:59", "2026-03-29T00:59:59.000Z"],
    ["2026-03-29T02:30:00", "2026-03-29T01:30:00.000Z"],
    ["2026-10-25 02:30", "2026-10-25T00:30:00.000Z"],
    ["2026-10-25 03:30:00.123456", "2026-10-25T02:30:00.123Z"],
    ["2026-05-04T12:00:00Z", "2026-05-04T12:00:00.000Z"],
    ["2026-05-04 12:00:00+05:00", "2026-05-04T07:00:00.000Z"],
  ])("reads %s in Berlin as %s", async (text, instant) => {
    expect(await valueOf("$utc(a, 'Europe/Berlin')", { a: text })).toBe(instant);
  });

  it("gives nothing for nothing", async () => {
    expect(await valueOf("$utc(a, 'Europe/Berlin')", { a: null })).toBeNull();
    expect(await valueOf("$utc(a, 'Europe/Berlin')", { a: "" })).toBeNull();
  });
});

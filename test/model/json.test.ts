import { assert, jsonValue, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, contentHash, type Json } from "#model";

/** The definition, member by member. */
function defined(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(defined).join(",")}]`;
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${defined(value[name] ?? null)}`).join(",")}}`;
}

describe("canonical JSON", () => {
  it("is the sorted text of any value, whatever was written before", () => {
    assert(
      property(jsonValue(), (value) => {
        const json: Json = JSON.parse(JSON.stringify(value));
        expect(canonicalJson(json)).toBe(defined(json));
      }),
      { numRuns: 2_000 },
    );
  });

  it("sorts names that an object would put first, and keeps a member called __proto__", () => {
    const row: Json = JSON.parse('{"b":1,"__proto__":2,"10":3,"9":4,"a":null}');
    expect(canonicalJson(row)).toBe('{"10":3,"9":4,"__proto__":2,"a":null,"b":1}');
  });

  it("gives one text to rows whose columns come in another order", () => {
    expect(canonicalJson({ b: "x", a: 1 })).toBe('{"a":1,"b":"x"}');
    expect(canonicalJson({ a: 1, b: "x" })).toBe('{"a":1,"b":"x"}');
  });
});

describe("a content hash", () => {
  it("is the one that stores hold already", () => {
    expect(contentHash({ kind: "upsert", key: "1", row: { name: "Müller", no: 1 } })).toBe(
      "789ecd17fe90d11d1978c28829c75a61",
    );
    expect(contentHash({ kind: "delete", key: "1" })).toBe("1185f37d33b0f89e331f101a51bb8e51");
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { ParkError } from "#model";
import type { MappedValue, Stream } from "#mapping";
import { fileWith, firstField, load, streamWith } from "./sample.ts";

const docs = readFileSync("docs/sync-file.md", "utf8");
const cookbook = readFileSync("docs/guides/mapping-cookbook.md", "utf8");
const reference = docs.slice(0, docs.indexOf("## A whole file")) + cookbook;

interface Example {
  readonly heading: string;
  readonly yaml: string;
  readonly rows: readonly { readonly row: string; readonly becomes: string }[];
}

/** Every yaml block of the reference with the table that follows it. */
const examples: Example[] = reference.split(/^#{2,3} /m).flatMap((section) => {
  const heading = section.slice(0, section.indexOf("\n"));
  return [...section.matchAll(/```yaml\n(.*?)```\n((?:\n?\|[^\n]*\|\n)*)/gs)].map(([, yaml = "", table = ""]) => ({
    heading,
    yaml,
    rows: [...table.matchAll(/^\| `(.*?)` \| (.*?) \|$/gm)].map(([, row = "", becomes = ""]) => ({ row, becomes })),
  }));
});

const words = z.record(z.string(), z.json());

describe("docs/sync-file.md and the cookbook", () => {
  it("has an example for every word", () => {
    const headings = new Set(examples.map(({ heading }) => heading));
    const wanted =
      "Sources read every resource match create gone moved when deleted from expr map default const lookup ref tags own Reports Lines";
    expect(wanted.split(" ").filter((word) => !headings.has(word))).toEqual([]);
  });

  it("shows the shipped file as it is", () => {
    expect(docs).toContain(`\`\`\`yaml\n${readFileSync("config/svcsync.yaml", "utf8")}\`\`\``);
  });

  it.each(examples)("has an example under $heading that is a sync file", ({ yaml }) => {
    const example = words.parse(parse(yaml));
    const text =
      "sources" in example || "returns" in example
        ? JSON.stringify({ ...words.parse(parse(fileWith({}))), ...example })
        : fileWith(example);
    const { streams, returns } = load(text.replaceAll('"keyOf":"tickets"', '"keyOf":"it"'));
    expect(streams).toHaveLength(3);
    expect(returns.map(({ name }) => name)).toEqual(
      Object.keys(z.object({ returns: words.default({}) }).parse(example).returns),
    );
  });

  const cases = examples.flatMap(({ heading, yaml, rows }) => rows.map((row) => ({ heading, yaml, ...row })));
  it.each(cases)("tells the truth under $heading: $row becomes $becomes", async ({ yaml, row, becomes }) => {
    const stream = streamWith(words.parse(parse(yaml)));
    const shown = await outcome(stream, words.parse(parse(row)));
    const code = /^`(.*)`$/.exec(becomes)?.[1];
    expect(shown).toEqual(code === undefined ? becomes : { value: parse(code.replaceAll("\\|", "|")) });
  });
});

async function outcome(stream: Stream, row: Parameters<Stream["map"]>[0]): Promise<unknown> {
  try {
    const mapped = await stream.map(row, false);
    if (mapped.kind === "skip") return "left out";
    return mapped.kind === "deleted" ? `deleted: ${mapped.policy}` : { value: plain(firstField(mapped)) };
  } catch (error) {
    if (error instanceof ParkError) return "parked";
    throw error;
  }
}

/** A mapped value as the tables write it. */
function plain(value: MappedValue): unknown {
  switch (value.kind) {
    case "value":
      return value.value;
    case "ref":
      return { ref: value.stream, key: value.key, ...(value.optional ? { optional: true } : {}) };
    case "lookup":
      return { lookup: value.resource, value: value.value };
    case "tags":
      return { tags: value.values };
  }
}

import { describe, expect, it } from "vitest";
import type { Finding, Json, Key, Row, StreamName } from "#model";
import type { SourceStream } from "#sources";
import { checkMapping } from "../../src/cli/check/check-mapping.ts";
import type { StreamSample } from "../../src/cli/check/sample.ts";
import { fileWith, load } from "../mapping/sample.ts";

type Rows = readonly (readonly [Key, Row])[];

/** A stream of an ERP that holds these rows, of which a first read shows only as many as `shown`. */
function sourceOf(rows: Rows, shown = rows.length): SourceStream {
  return {
    capabilities: { deletions: "flag" },
    async *changes() {
      yield { changes: rows.slice(0, shown).map(([key, row]) => ({ kind: "upsert" as const, key, row })), cursor: 1 };
    },
    readOne: (key) => Promise.resolve(rows.find(([each]) => each === key)?.[1]),
    // oxlint-disable-next-line require-yield -- nothing here sweeps
    async *keys() {
      throw new Error("check reads no keys");
    },
    check: () => Promise.resolve([]),
  };
}

/** What `check` finds in these rows of the stream `it`, which may refer to `customers`. */
async function findings(
  words: Record<string, Json>,
  rows: Rows,
  customers = sourceOf([["1", { name: "Muster" }]]),
): Promise<Finding[]> {
  const { streams } = load(fileWith(words));
  const sources = {
    sources: new Map(),
    streams: new Map([
      ["customers", customers],
      ["it", sourceOf(rows)],
    ]),
  };
  const samples = new Map<StreamName, StreamSample>();
  const all: Finding[] = [];
  for (const stream of streams)
    if (sources.streams.has(stream.name))
      all.push(...(await checkMapping(stream, sources, samples, new AbortController().signal)));
  return all.filter(({ subject, verdict }) => subject.startsWith("stream it") && verdict !== "ok");
}

const ticket = { description: "text", priority: { const: 1 }, ticketStatus: { const: 1 } };

describe("the sample of check", () => {
  it("finds nothing in good rows", async () => {
    const rows: Rows = [
      ["1", { no: "T1", text: "Pump", customer: "1" }],
      ["2", { no: null, text: "Valve", customer: null }],
    ];
    const fields = { ...ticket, referenceNumber: "no", customer: { ref: "customers", key: "customer" } };
    expect(await findings({ match: ["referenceNumber"], fields }, rows)).toEqual([]);
  });

  it("names a match field that is empty in all rows: nothing would be found, and all created again", async () => {
    const rows: Rows = [
      ["1", { no: null, text: "Pump" }],
      ["2", { no: "  ", text: "Valve" }],
    ];
    const fields = { ...ticket, referenceNumber: "no" };
    expect(await findings({ match: ["referenceNumber"], fields }, rows)).toEqual([
      expect.objectContaining({
        subject: "stream it, field referenceNumber",
        verdict: "problem",
        message: expect.stringMatching(/empty in all of the 2 rows .*match field.*create what the service already has/),
      }),
    ]);
    // Another rule still finds the records.
    const two = { match: [["referenceNumber"], ["description"]], fields };
    expect(await findings(two, rows)).toEqual([expect.objectContaining({ verdict: "warning" })]);
  });

  it("names a required field that is empty in all rows", async () => {
    const rows: Rows = [["1", { text: null }]];
    expect(await findings({ fields: ticket }, rows)).toEqual([
      expect.objectContaining({
        subject: "stream it, field description",
        verdict: "problem",
        message: expect.stringContaining("requires it to create a ticket"),
      }),
    ]);
  });

  it("names a reference whose keys no row of the parent stream has", async () => {
    const rows: Rows = [
      ["1", { text: "Pump", customer: "0001" }],
      ["2", { text: "Valve", customer: "0002" }],
    ];
    const fields = { ...ticket, customer: { ref: "customers", key: "customer" } };
    expect(await findings({ fields }, rows)).toEqual([
      expect.objectContaining({
        subject: "stream it, field customer",
        verdict: "problem",
        message: expect.stringContaining("no row of stream customers has a key that this field names (0001, 0002)"),
      }),
    ]);
    const optional = { ...fields, customer: { ...fields.customer, optional: true } };
    expect(await findings({ fields: optional }, rows)).toEqual([expect.objectContaining({ verdict: "warning" })]);
  });

  it("looks for a parent that is not among the first rows of its stream", async () => {
    const many = sourceOf(
      [
        ["1", { name: "Muster" }],
        ["2", { name: "Beispiel" }],
      ],
      1,
    );
    const fields = { ...ticket, customer: { ref: "customers", key: "customer" } };
    expect(await findings({ fields }, [["1", { text: "Pump", customer: "2" }]], many)).toEqual([]);
  });

  it("names two rows with one key that differ, and takes the same row twice for one", async () => {
    const rows: Rows = [
      ["1,2E+12", { text: "A" }],
      ["1,2E+12", { text: "B" }],
    ];
    expect(await findings({ fields: ticket }, rows)).toEqual([
      expect.objectContaining({
        verdict: "problem",
        message: expect.stringContaining("have the key 1,2E+12 and differ"),
      }),
    ]);
    expect(await findings({ fields: ticket }, [rows[0]!, rows[0]!])).toEqual([]);
  });

  it("names a text that is longer than a field of one line usually is", async () => {
    const rows: Rows = [["1", { no: "x".repeat(256), text: "y".repeat(5_000) }]];
    expect(await findings({ fields: { ...ticket, referenceNumber: "no" } }, rows)).toEqual([
      expect.objectContaining({
        subject: "stream it, field referenceNumber",
        verdict: "warning",
        message: expect.stringContaining("256 characters"),
      }),
    ]);
  });

  it("says that a condition leaves out every row", async () => {
    expect(await findings({ when: "text = 'x'", fields: ticket }, [["1", { text: "Pump" }]])).toEqual([
      expect.objectContaining({ verdict: "warning", message: expect.stringContaining("delivers none of 1 row") }),
    ]);
  });

  it("says that rows cannot be read", async () => {
    const source: SourceStream = {
      ...sourceOf([]),
      async *changes() {
        yield {
          changes: [],
          unreadable: [{ key: "7", place: "rows[3]", reason: "two rows have this key" }],
          cursor: 1,
        };
      },
    };
    const { streams } = load(fileWith({}));
    const stream = streams.find(({ name }) => name === "it")!;
    const sources = { sources: new Map(), streams: new Map([["it", source]]) };
    const dispose = { [Symbol.asyncDispose]: () => Promise.resolve() };
    const found = await checkMapping(stream, { ...sources, ...dispose }, new Map(), new AbortController().signal);
    expect(found).toContainEqual(
      expect.objectContaining({
        verdict: "warning",
        message: expect.stringContaining("rows[3]: two rows have this key"),
      }),
    );
  });
});

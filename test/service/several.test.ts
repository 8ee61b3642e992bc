import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { SeveralReads } from "../../src/service/backward/several.ts";
import { never } from "../kit/outcome.ts";

/** A list of 120 records that obeys the filter `ids`, or ignores it and shows its first page. */
function tenant(obeys: boolean) {
  const asked: string[] = [];
  const all = Array.from({ length: 120 }, (_, at): JsonObject => ({ id: at + 1, number: `N${at + 1}` }));
  const reads = new SeveralReads({
    page: async (resource, { filter }, { limit }) => {
      const ids = String(filter?.["ids"]).split(",").map(Number);
      asked.push(`${resource} ${ids.length}`);
      const rows = obeys ? all.filter(({ id }) => ids.includes(Number(id))) : all;
      return { rows: rows.slice(0, limit), total: rows.length, limit };
    },
  });
  return { reads, asked };
}

const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

describe("several records of the service", () => {
  it("are read with one request per fifty; what is not shown is absent", async () => {
    const { reads, asked } = tenant(true);
    const found = await reads.read("user", ids(61, 70), ["number"], never);
    expect([...found.keys()]).toEqual(ids(61, 60));
    expect(found.get(100)).toMatchObject({ number: "N100" });
    expect(asked).toEqual(["user 50", "user 20"]);
  });

  it("are not asked for again where the service ignores the filter, and no other record is taken for them", async () => {
    const { reads, asked } = tenant(false);
    const found = await reads.read("user", ids(49, 60), ["number"], never);
    expect([...found]).toEqual([49, 50].map((id) => [id, { id, number: `N${id}` }]));
    expect(await reads.read("user", ids(1, 5), ["number"], never)).toEqual(new Map());
    await reads.read("serviceType", ids(1, 2), ["number"], never);
    expect(asked).toEqual(["user 50", "serviceType 2"]);
  });
});

import { describe, expect, it } from "vitest";
import { ParkError, RetryError } from "#model";
import type { Stream } from "#mapping";
import { deletedChildren } from "../../src/pipeline/deliver/delete/deleted-children.ts";
import { streamWith } from "../mapping/sample.ts";

const parent = { stream: "customers", key: "1" };
const view = { id: { stream: "it", key: "7" }, row: { name: "A", customer_no: 1 }, deleted: true };
const fields = { name: "name", customer: { ref: "customers", key: "customer_no" } };
const stream = streamWith({ match: ["customer", "name"], fields, deleted: { delete: true } });

function childrenOf(known: Partial<Stream> = {}) {
  const streams = new Map([["it", { ...stream, ...known }]]);
  return deletedChildren({ records: () => Promise.resolve([view]) }, streams, parent);
}

describe("the deleted children of a record", () => {
  it("are those whose rows name it", async () => {
    expect(await childrenOf()).toEqual([view.id]);
  });

  it("are not those whose rows cannot be mapped: these are parked", async () => {
    const odd = new ParkError("E_MAPPING", "odd");
    expect(await childrenOf({ identify: () => Promise.reject(odd) })).toEqual([]);
  });

  it("are not known while this machine cannot map", async () => {
    const busy = new RetryError("E_EXPRESSION_PROCESS", "no memory");
    await expect(childrenOf({ map: () => Promise.reject(busy) })).rejects.toBe(busy);
    await expect(childrenOf({ identify: () => Promise.reject(busy) })).rejects.toBe(busy);
  });
});

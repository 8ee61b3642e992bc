import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { difference } from "../../src/pipeline/wanted/difference.ts";
import type { Wanted } from "../../src/pipeline/wanted/resolver.ts";
import type { Json } from "#model";

function wanted(projection: Record<string, Json>, options: { createOnly?: string[]; shared?: string[] } = {}): Wanted {
  return {
    projection,
    emptyOnly: new Set(),
    createOnly: new Set(options.createOnly),
    references: new Set(),
    shared: new Set(options.shared),
    parents: [],
  };
}

describe("difference", () => {
  it("finds nothing when what is wanted was last written", () => {
    expect(difference({ name: "A", tags: [1, 2] }, undefined, wanted({ name: "A", tags: [1, 2] }))).toBeUndefined();
  });

  it("sends on update only the fields that changed", () => {
    const change = difference({ name: "A", info: "x" }, undefined, wanted({ name: "B", info: "x" }));
    expect(change?.patch).toEqual({ fields: { name: "B" }, arrays: {} });
    expect(change?.before).toEqual({ name: "A" });
    expect(change?.after).toEqual({ name: "B" });
  });

  it("sends null for a field that the ERP emptied", () => {
    expect(difference({ name: "A" }, undefined, wanted({ name: null }))?.patch.fields).toEqual({ name: null });
  });

  it("leaves fields alone that are written at creation only", () => {
    expect(
      difference({ info: "theirs" }, undefined, wanted({ info: "ours" }, { createOnly: ["info"] })),
    ).toBeUndefined();
  });

  it("sends a field in doubt again although it was last written so", () => {
    const change = difference({ name: "A" }, { name: null }, wanted({ name: "A" }));
    expect(change?.patch.fields).toEqual({ name: "A" });
  });

  it("changes tags by adding and removing our ids", () => {
    const change = difference({ tags: [1, 2] }, undefined, wanted({ tags: [2, 3] }, { shared: ["tags"] }));
    expect(change?.patch).toEqual({ fields: {}, arrays: { tags: { add: [3], remove: [1] } } });
    expect(change?.doubts).toEqual({ tags: [1, 2, 3] });
  });

  it("after any chain of unseen updates leaves exactly the wanted ids of ours, and all of the others'", () => {
    const ids = fc
      .uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 4 })
      .map((list) => list.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(fc.array(fc.tuple(ids, fc.boolean(), fc.boolean())), ids, (steps, last) => {
        const foreign = [91, 92];
        let service = new Set(foreign);
        let applied: Record<string, Json> = { tags: [] };
        let doubts: Record<string, Json> | undefined;
        const deliver = (target: number[], isSent: boolean, isSeen: boolean) => {
          const change = difference(applied, doubts, wanted({ tags: target }, { shared: ["tags"] }));
          if (!change) return;
          doubts = { ...doubts, ...change.doubts };
          const { add = [], remove = [] } = change.patch.arrays["tags"] ?? {};
          if (isSent) service = new Set([...[...service].filter((id) => !remove.includes(id)), ...add]);
          if (isSent && isSeen) [applied, doubts] = [{ tags: target }, undefined];
        };
        for (const [target, isSent, isSeen] of steps) deliver(target, isSent, isSeen);
        deliver(last, true, true);
        expect([...service].toSorted((a, b) => a - b)).toEqual([...last, ...foreign]);
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { rereadKeys, rereadStreamAct } from "#operator";
import type { SourceStream } from "#sources";
import { Scene, customer, upsert } from "../conformance/store-scene.ts";
import { carriedOut } from "../kit/acting.ts";
import { never } from "../kit/outcome.ts";
import { memoryPlace } from "../store/memory-place.ts";

const by = { name: "ann", via: "cli" } as const;

/** An ERP whose single read is answered by the test. */
function erpAnswering(readOne: SourceStream["readOne"]): SourceStream {
  return {
    capabilities: { deletions: "feed" },
    async *changes() {},
    readOne,
    async *keys() {},
    keyless: async () => [],
    check: async () => [],
  };
}

describe("reading records again", () => {
  it("never puts an older row over the one that a poll brought meanwhile", async () => {
    await using scene = await Scene.open(memoryPlace);
    await scene.stage([upsert("1", { name: "first" })], { cursor: 1 });
    const source = erpAnswering(async () => {
      await scene.stage([upsert("1", { name: "newer" })], { cursor: 2 });
      return { name: "older" };
    });
    await rereadKeys({ store: scene.store, source }, { stream: "customers", keys: ["1"], signal: never }, by);
    expect((await scene.claim(customer("1"))).row).toEqual({ name: "newer" });
    expect((await scene.store.stream("customers")).cursor).toBe(2);
  });

  it("does not undo a request to read the whole stream", async () => {
    await using scene = await Scene.open(memoryPlace);
    await scene.stage([upsert("1", { name: "first" })], { cursor: 1 });
    await carriedOut(rereadStreamAct, scene, "customers", {}, by);
    const source = erpAnswering(async () => {
      await scene.store.resetCursor("customers");
      return { name: "second" };
    });
    const read = await rereadKeys(
      { store: scene.store, source },
      { stream: "customers", keys: ["1"], signal: never },
      by,
    );
    expect(read).toMatchObject({ changed: 1, missing: [] });
    expect((await scene.store.stream("customers")).cursor).toBeNull();
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Scene } from "../conformance/store-scene.ts";
import { sqlitePlace } from "./sqlite-place.ts";
import { happening } from "./store-happenings.ts";
import { Pair } from "./store-pair.ts";

const RUNS = 150;

describe("the store beside a model of its promises", () => {
  it("agrees with it after every one of many random changes, claims, steps, pauses and restarts", async () => {
    const happenings = fc.array(happening, { minLength: 20, maxLength: 80, size: "max" });
    const property = fc.asyncProperty(happenings, async (story) => {
      await using scene = await Scene.open(sqlitePlace);
      const pair = new Pair(scene);
      for (const what of story) {
        for await (const { found, promised } of pair.happen(what)) expect(found).toEqual(promised);
        const { found, promised } = await pair.everything();
        expect(found).toEqual(promised);
      }
    });
    await fc.assert(property, { numRuns: RUNS });
  });
});

import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { Scene, type MakePlace } from "../conformance/store-scene.ts";
import { postgresPlaces } from "./postgres-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";
import { happening } from "./store-happenings.ts";
import { Pair } from "./store-pair.ts";

const servers = postgresPlaces();
afterAll(() => servers.end());

/** A story takes PostgreSQL twenty times as long. */
const STORES: readonly { readonly name: string; readonly makePlace: MakePlace; readonly runs: number }[] = [
  { name: "SQLite", makePlace: sqlitePlace, runs: 150 },
  { name: "PostgreSQL", makePlace: () => servers.make(), runs: 12 },
];

describe("the store beside a model of its promises", () => {
  it.each(STORES)("agrees with it in $name after every one of many random happenings", async ({ makePlace, runs }) => {
    const happenings = fc.array(happening, { minLength: 20, maxLength: 80, size: "max" });
    const property = fc.asyncProperty(happenings, async (story) => {
      await using scene = await Scene.open(makePlace);
      const pair = new Pair(scene);
      for (const what of story) {
        for await (const { found, promised } of pair.happen(what)) expect(found).toEqual(promised);
        const { found, promised } = await pair.everything();
        expect(found).toEqual(promised);
      }
    });
    // A shorter story is searched for by hand, with the seed and the path that a failure tells: it takes longer than all tests.
    await fc.assert(property, { numRuns: runs, endOnFailure: true });
  });
});

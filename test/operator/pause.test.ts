import { expect, it } from "vitest";
import { pause } from "#operator";
import { Scene } from "../conformance/store-scene.ts";
import { memoryPlace } from "../store/memory-place.ts";

it.each([Number.NaN, 0, Number.POSITIVE_INFINITY])(
  "a pause until %s is refused, and nothing is paused",
  async (until) => {
    await using scene = await Scene.open(memoryPlace);
    const refused = pause(
      { store: scene.store, clock: scene.clock },
      { streams: ["customers"], until, polls: false },
      { name: "anna", via: "api" },
    );
    await expect(refused).rejects.toMatchObject({ code: "E_PAUSE_TIME" });
    expect(await scene.store.audit({ limit: 1 })).toEqual([]);
  },
);

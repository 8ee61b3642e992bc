import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "#model";
import { pause } from "#operator";
import { Scene } from "../conformance/store-scene.ts";
import { memoryPlace } from "../store/memory-place.ts";

it.each([Number.NaN, 0, Number.POSITIVE_INFINITY])(
  "a pause until %s is refused, and nothing is paused",
  async (until) => {
    await using scene = await Scene.open(memoryPlace);
    const refused = pause(scene, { streams: ["customers"], until, polls: false }, { name: "anna", via: "api" });
    await expect(refused).rejects.toMatchObject({ code: "E_PAUSE_TIME" });
    expect(await scene.store.audit({ limit: 1 })).toEqual([]);
  },
);

describe("a second pause", () => {
  const anna = { name: "anna", via: "cli", why: "migration" } as const;
  const ben = { name: "ben", via: "page" } as const;
  const streams = ["customers"];

  it("does not end a longer one of another person", async () => {
    await using scene = await Scene.open(memoryPlace);
    const now = scene.clock.now();
    await pause(scene, { streams, until: now + 7 * DAY_MS, polls: true }, anna);
    const shorter = await pause(scene, { streams, until: now + HOUR_MS, polls: false }, ben);
    const longer = { since: now, until: now + 7 * DAY_MS, polls: true, by: anna };
    expect(shorter).toEqual([{ stream: "customers", ...longer }]);
    expect(await scene.store.acts.pauseOf("customers")).toEqual(longer);
  });

  it("lasts longer than a shorter one, and lets no poll begin that the first one stopped", async () => {
    await using scene = await Scene.open(memoryPlace);
    const now = scene.clock.now();
    await pause(scene, { streams, until: now + HOUR_MS, polls: true }, anna);
    await pause(scene, { streams, until: now + DAY_MS, polls: false }, ben);
    expect(await scene.store.acts.pauseOf("customers")).toMatchObject({ until: now + DAY_MS, polls: true, by: ben });
  });

  it("knows nothing of one that ended", async () => {
    await using scene = await Scene.open(memoryPlace);
    const now = scene.clock.now();
    await pause(scene, { streams, until: now + HOUR_MS, polls: true }, anna);
    scene.clock.advance(HOUR_MS);
    await pause(scene, { streams, until: now + 2 * HOUR_MS, polls: false }, ben);
    expect(await scene.store.acts.pauseOf("customers")).toMatchObject({ until: now + 2 * HOUR_MS, polls: false });
  });
});

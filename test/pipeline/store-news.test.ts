import { expect, it } from "vitest";
import { StoreNews } from "#pipeline";
import { Scene, upsert } from "../conformance/store-scene.ts";
import { memoryPlace } from "../store/memory-place.ts";

it("is news what was written since, what is to be looked at again, and whatever a store cannot tell", async () => {
  await using scene = await Scene.open(memoryPlace);
  const news = new StoreNews(scene.store);
  expect([await news.any(), await news.any()]).toEqual([true, false]);
  await scene.stage([upsert("1")]);
  expect([await news.any(), await news.any()]).toEqual([true, false]);
  news.lookAgain();
  expect([await news.any(), await news.any()]).toEqual([true, false]);
  await scene.store[Symbol.asyncDispose]();
  expect([await news.any(), await news.any()]).toEqual([true, true]);
});

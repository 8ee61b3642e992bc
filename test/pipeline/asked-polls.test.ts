import { expect, it } from "vitest";
import { pollAct } from "#operator";
import { AskedPolls } from "#pipeline";
import { Scene } from "../conformance/store-scene.ts";
import { carriedOut } from "../kit/acting.ts";
import { memoryLogger } from "../kit/logger.ts";
import { memoryPlace } from "../store/memory-place.ts";

it("polls once what a person asked for; while polls are paused, the request waits", async () => {
  await using scene = await Scene.open(memoryPlace);
  const nudged: string[] = [];
  const paused = new Set(["tickets"]);
  const asked = new AskedPolls(
    {
      store: scene.store,
      nudges: { nudge: (stream) => void nudged.push(stream) },
      holds: { mayPoll: (stream) => !paused.has(stream) },
      logger: memoryLogger(),
    },
    ["customers", "contacts", "tickets"],
  );
  for (const stream of ["customers", "tickets"])
    await carriedOut(pollAct, scene, stream, {}, { name: "anna", via: "cli", why: "a call" });
  await asked.look();
  await asked.look();
  expect(nudged).toEqual(["customers"]);
  paused.clear();
  await asked.look();
  expect(nudged).toEqual(["customers", "tickets"]);
  expect(await scene.store.acts.recent({ since: 0, limit: 9 })).toMatchObject([
    { stream: "tickets", action: "poll", by: { name: "anna", why: "a call" } },
    { stream: "customers", action: "poll" },
  ]);
});

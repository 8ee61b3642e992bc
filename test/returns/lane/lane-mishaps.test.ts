import { expect, it } from "vitest";
import { sqlitePlace } from "../../store/sqlite-place.ts";
import { useServers } from "../../sources/sql/servers.ts";
import { withInbox } from "../destinations/sql-inbox.ts";
import { LaneScene, ScriptedService } from "./lane-scene.ts";

const { open } = useServers();

it("hands nothing over as known that the inbox has only as an older version", async () => {
  await using erp = await withInbox(await open("sqlite"), "sqlite");
  await using scene = await LaneScene.open(erp.source, { corrections: "send" });
  await using other = await LaneScene.open(
    erp.source,
    { corrections: "send", installation: "other" },
    { place: await sqlitePlace(), service: new ScriptedService() },
  );
  for (const lane of [scene, other]) {
    await lane.round();
    lane.approve("2", 1);
    await lane.round();
  }
  for (const hours of [2, 3]) {
    scene.approve("2", hours);
    await scene.round();
  }
  other.approve("2", 2);
  await other.round();
  expect(await other.states()).toEqual(["2/1 fact delivered", "2/2 correction withdrawn", "2/4 correction held"]);
  expect(await erp.place.writer.one("select count(*) from svcsync_returns")).toSatisfy((count) => Number(count) === 3);
});

it("lets the others flow beside a key that no return can be named after", async () => {
  await using erp = await withInbox(await open("sqlite"), "sqlite");
  await using scene = await LaneScene.open(erp.source);
  await scene.round();
  scene.approve("1".repeat(401));
  scene.approve("2");
  await scene.round();
  expect(await scene.states()).toEqual(["2/1 fact delivered"]);
  expect((await scene.store.returns.mark("reports"))?.error).toBeUndefined();
});

it("looks at everything again though the clock was far ahead at the last look", async () => {
  await using erp = await withInbox(await open("sqlite"), "sqlite");
  await using scene = await LaneScene.open(erp.source);
  await scene.round();
  const ahead = scene.clock.now() + 365 * 86_400_000;
  await scene.store.returns.saveMark("reports", { lookedAt: ahead });
  scene.service.isSilent = true;
  scene.approve("2");
  await scene.round();
  expect(await scene.states()).toEqual(["2/1 fact delivered"]);
});

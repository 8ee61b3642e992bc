import { expect, it } from "vitest";
import { ParkError } from "#model";
import type { Destination } from "#returns";
import { sqlitePlace } from "../../store/sqlite-place.ts";
import { useServers } from "../../sources/sql/servers.ts";
import { withInbox } from "../destinations/sql-inbox.ts";
import { LaneScene, missingKey, ScriptedService } from "./lane-scene.ts";

const { open } = useServers();
const PERSON = { name: "anna", via: "cli" } as const;

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

it("sends a refused report again behind a correction that the service took back", async () => {
  await using erp = await withInbox(await open("sqlite"), "sqlite");
  await using scene = await LaneScene.open(erp.source);
  await scene.round();
  scene.approve("2");
  await scene.round();
  await answer(erp.place.writer, "prod/reports/2/1", "refused");
  await scene.round();
  scene.approve("2", 3, { fault: missingKey });
  await scene.round();
  scene.approve("2");
  await scene.round();
  expect(await scene.states()).toEqual(["2/1 fact refused", "2/2 correction withdrawn"]);
  const refused = { stream: "reports", subject: "2", version: 1 };
  expect(await scene.store.returns.decide(refused, "send", PERSON)).toBe(true);
  expect(await scene.store.returns.decide(refused, "send", PERSON)).toBe(false);
  await scene.round();
  expect((await scene.states()).at(-1)).toBe("2/3 correction delivered");
  expect(await scene.one("2", 3)).toMatchObject({ replaces: 1 });
});

it("takes an answer as the proof that what was uncertain arrived", async () => {
  await using erp = await withInbox(await open("sqlite"), "sqlite");
  await using scene = await LaneScene.open(erp.source, { through: doubting });
  await scene.round();
  scene.approve("2");
  await scene.round();
  expect(await scene.states()).toEqual(["2/1 fact uncertain"]);
  await answer(erp.place.writer, "prod/reports/2/1", "ok");
  await scene.round();
  expect(await scene.states()).toEqual(["2/1 fact accepted"]);
});

function answer(writer: { run(sql: string): Promise<unknown> }, name: string, result: string): Promise<unknown> {
  return writer.run(
    `insert into svcsync_answers (return_id, result, message, answered_at) values ('${name}', '${result}', 'said so', '2026-01-05T09:00:00Z')`,
  );
}

/** Delivers, and then does not know it. */
function doubting(destination: Destination): Destination {
  return {
    deliver: async (...of) => {
      await destination.deliver(...of);
      throw new ParkError("E_RETURN_UNCERTAIN", "nobody knows whether it arrived");
    },
    highest: (...of) => destination.highest(...of),
    answers: (...of) => destination.answers(...of),
    check: (...of) => destination.check(...of),
    [Symbol.asyncDispose]: () => destination[Symbol.asyncDispose](),
  };
}

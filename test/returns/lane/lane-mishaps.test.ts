import { describe, expect, it, vi } from "vitest";
import { ParkError, RetryError } from "#model";
import type { Destination } from "#returns";
import { memoryLogger } from "../../kit/logger.ts";
import { sqlitePlace } from "../../store/sqlite-place.ts";
import type { Opened } from "../../sources/sql/opened.ts";
import { useServers } from "../../sources/sql/servers.ts";
import { withInbox } from "../destinations/sql-inbox.ts";
import { LaneScene, missingKey, ScriptedService } from "./lane-scene.ts";

const { open } = useServers();
const PERSON = { name: "anna", via: "cli" } as const;

describe("two installations on one inbox", () => {
  it("hand nothing over as known that the inbox has only as an older version", async () => {
    await using erp = await withInbox(await open("sqlite"), "sqlite");
    await using lanes = await inConflict(erp);
    expect((await lanes.other.states()).at(-1)).toBe("2/4 correction held");
    expect(Number(await erp.place.writer.one("select count(*) from svcsync_returns"))).toBe(3);
  });

  it("let a person decide about every later change too, as a correction of what the ERP has", async () => {
    await using erp = await withInbox(await open("sqlite"), "sqlite");
    await using lanes = await inConflict(erp);
    const { other } = lanes;
    other.approve("2", 9);
    await other.round();
    expect((await other.states()).slice(-2)).toEqual(["2/4 correction withdrawn", "2/5 correction held"]);
    expect(await other.one("2", 5)).toMatchObject({ replaces: 3 });
    other.service.set("2", undefined);
    await other.round();
    expect((await other.states()).at(-1)).toBe("2/6 cancelled held");
    expect(Number(await erp.place.writer.one("select count(*) from svcsync_returns"))).toBe(3);
  });
});

it("says of which record it could write nothing down, and goes on with the others", async () => {
  await using erp = await withInbox(await open("sqlite"), "sqlite");
  const logger = memoryLogger();
  await using scene = await LaneScene.open(erp.source, { logger });
  await scene.round();
  const prepare = scene.store.returns.prepare.bind(scene.store.returns);
  vi.spyOn(scene.store.returns, "prepare").mockImplementation(async (next, as) =>
    next.subject === "2" ? false : prepare(next, as),
  );
  scene.approve("2");
  scene.approve("3");
  await scene.round();
  expect(await scene.states()).toEqual(["3/1 fact delivered"]);
  expect(logger.lines).toContainEqual({
    level: "error",
    message: "return was not written down",
    fields: { stream: "reports", subject: "2" },
  });
});

describe("a report that is corrected while the inbox does not answer", () => {
  it("is handed over version by version, though the first one is due last", async () => {
    await using erp = await withInbox(await open("sqlite"), "sqlite");
    await using waiting = await withTwoWaiting(erp);
    const { scene, link } = waiting;
    link.isDown = false;
    await scene.round(3_600_000);
    await scene.round();
    expect(await scene.states()).toEqual(["2/1 fact delivered", "2/2 correction delivered"]);
  });

  it("is held with its last content if the inbox got another first version meanwhile", async () => {
    await using erp = await withInbox(await open("sqlite"), "sqlite");
    await using waiting = await withTwoWaiting(erp);
    const { scene, link } = waiting;
    await using other = await LaneScene.open(
      erp.source,
      { installation: "other" },
      { place: await sqlitePlace(), service: new ScriptedService() },
    );
    await other.round();
    other.approve("2", 7);
    await other.round();
    link.isDown = false;
    await scene.round(3_600_000);
    await scene.round();
    expect(await scene.states()).toEqual(["2/1 fact withdrawn", "2/2 correction withdrawn", "2/3 correction held"]);
    expect((await scene.one("2", 3)).content.lines[0]?.amount).toBe("2");
    expect(Number(await erp.place.writer.one("select count(*) from svcsync_returns"))).toBe(1);
  });
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

/** Both handed over the first version; then `scene` two more, and `other` fell into conflict with them. */
async function inConflict(erp: Opened) {
  const scene = await LaneScene.open(erp.source, { corrections: "send" });
  const other = await LaneScene.open(
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
  return {
    other,
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}

/** Two versions wait; `link.isDown = false` lets them flow. */
async function withTwoWaiting(erp: Opened) {
  const link = { isDown: true };
  const through = (destination: Destination): Destination => ({
    ...doubting(destination),
    deliver: (...of) => {
      if (link.isDown) throw new RetryError("E_SOURCE_UNREACHABLE", "the inbox does not answer");
      return destination.deliver(...of);
    },
  });
  const scene = await LaneScene.open(erp.source, { corrections: "send", through });
  await scene.round();
  for (const hours of [1, 2]) {
    scene.approve("2", hours);
    await scene.round();
  }
  expect(await scene.states()).toEqual(["2/1 fact prepared", "2/2 correction prepared"]);
  return { scene, link, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

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

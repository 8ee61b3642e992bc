import { describe, expect, it, vi } from "vitest";
import { RetryError, type Return, type ReturnAnswer } from "#model";
import type { Consequence, Destination } from "#returns";
import type { OpenedSource } from "#sources";
import { sqlitePlace } from "../../store/sqlite-place.ts";
import { useServers } from "../../sources/sql/servers.ts";
import { withInbox } from "../destinations/sql-inbox.ts";
import { LaneScene, missingKey, ScriptedService, type SceneOptions } from "./lane-scene.ts";

const { open } = useServers();
const PERSON = { name: "anna", via: "cli" } as const;

async function erpWithLane(options: SceneOptions = {}) {
  const erp = await withInbox(await open("sqlite"), "sqlite");
  const scene = await LaneScene.open(erp.source, options);
  const { writer } = erp.place;
  return {
    erp,
    scene,
    count: async (where = "1 = 1") => Number(await writer.one(`select count(*) from svcsync_returns where ${where}`)),
    answer: (name: string, result: string, document: string | null = null) =>
      writer.run(
        `insert into svcsync_answers (return_id, result, document, message, answered_at)
         values ('${name}', '${result}', ${document === null ? "null" : `'${document}'`}, 'said so', '2026-01-05T09:00:00Z')`,
      ),
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await erp[Symbol.asyncDispose]();
    },
  };
}

describe("a lane", () => {
  it("begins its next round at once when a person decided", async () => {
    await using of = await erpWithLane();
    const { scene } = of;
    const stop = new AbortController();
    const running = scene.lane.run(stop.signal);
    await vi.waitFor(async () => expect(await scene.store.returns.mark("reports")).toHaveProperty("lookedAt"), 30_000);
    scene.approve("1");
    scene.lane.nudge();
    await vi.waitFor(async () => expect(await scene.states()).toEqual(["1/1 fact delivered"]), 30_000);
    stop.abort();
    await running;
  });

  it("hands over what was approved since it was switched on, once, and nothing older", async () => {
    await using lane = await erpWithLane();
    const { scene, count } = lane;
    scene.approve("1", 1, { finalAt: scene.clock.now() - 86_400_000 });
    await scene.round();
    expect(await scene.states()).toEqual([]);
    scene.approve("2");
    await scene.round();
    await scene.round();
    await scene.restart();
    scene.service.set("2", scene.service.work.get("2"));
    await scene.round();
    expect(await scene.states()).toEqual(["2/1 fact delivered"]);
    expect(await count()).toBe(1);
  });

  it("keeps a correction until a person sends it, and a cancellation likewise", async () => {
    await using lane = await erpWithLane();
    const { scene, count } = lane;
    await scene.round();
    scene.approve("2");
    await scene.round();
    scene.approve("2", 3);
    await scene.round();
    expect(await scene.states()).toEqual(["2/1 fact delivered", "2/2 correction held"]);
    expect(await count()).toBe(1);
    expect(await scene.store.returns.decide({ stream: "reports", subject: "2", version: 2 }, "send", PERSON)).toBe(
      true,
    );
    await scene.round();
    expect(await count("kind = 'correction' and replaces = 'prod/reports/2/1'")).toBe(1);
    scene.service.set("2", undefined);
    await scene.round();
    expect(await scene.states()).toEqual(["2/1 fact delivered", "2/2 correction delivered", "2/3 cancelled held"]);
  });

  it("forgets a correction that the service took back", async () => {
    await using lane = await erpWithLane();
    const { scene } = lane;
    await scene.round();
    scene.approve("2");
    await scene.round();
    scene.approve("2", 3);
    await scene.round();
    scene.approve("2", 1);
    await scene.round();
    expect(await scene.states()).toEqual(["2/1 fact delivered", "2/2 correction withdrawn"]);
    scene.approve("2", 3);
    await scene.round();
    expect(await scene.states()).toEqual(["2/1 fact delivered", "2/2 correction withdrawn", "2/3 correction held"]);
  });

  it("finds by the daily look at everything what is gone, and what no list showed", async () => {
    await using lane = await erpWithLane({ corrections: "send" });
    const { scene } = lane;
    await scene.round();
    scene.approve("2");
    await scene.round();
    scene.service.isSilent = true;
    scene.service.set("2", undefined);
    scene.approve("3");
    await scene.round();
    expect(await scene.states()).toEqual(["2/1 fact delivered"]);
    await scene.round(86_400_000);
    expect(await scene.states()).toEqual(["2/1 fact delivered", "2/2 cancelled delivered", "3/1 fact delivered"]);
  });

  it("finds by the daily look what changed without a change of its stamp, and reads nothing else again", async () => {
    await using lane = await erpWithLane();
    const { scene, count } = lane;
    await scene.round();
    for (const subject of ["2", "3"]) scene.approve(subject);
    await scene.round();
    scene.service.isSilent = true;
    scene.service.set("2", { ...scene.service.work.get("2")!, hours: 3 });
    const before = scene.service.reads;
    await scene.round();
    expect(await scene.states()).toEqual(["2/1 fact delivered", "3/1 fact delivered"]);
    await scene.round(86_400_000);
    await scene.round(86_400_000);
    expect(await scene.states()).toEqual(["2/1 fact delivered", "2/2 correction held", "3/1 fact delivered"]);
    expect(scene.service.reads).toBe(before + 1);
    expect(await count()).toBe(2);
  });

  it("notes what a list showed of what it compared, though nothing is to be said", async () => {
    await using lane = await erpWithLane();
    const { scene } = lane;
    await scene.round();
    scene.approve("2");
    await scene.round();
    scene.clock.advance(1_000);
    scene.approve("2");
    await scene.round();
    const before = scene.service.reads;
    await scene.round(86_400_000);
    expect(await scene.states()).toEqual(["2/1 fact delivered"]);
    expect(scene.service.reads).toBe(before);
  });

  it("blocks a report whose key is unknown, tries it again, and lets the others flow", async () => {
    await using lane = await erpWithLane();
    const { scene } = lane;
    await scene.round();
    scene.approve("1", 1, { fault: missingKey });
    scene.approve("2");
    await scene.round();
    expect(await scene.states()).toEqual(["1/1 fact blocked", "2/1 fact delivered"]);
    expect((await scene.store.returns.find({ states: ["blocked"], limit: 1 }))[0]?.error?.code).toBe("E_RETURN_KEY");
    scene.service.isSilent = true;
    scene.approve("1");
    await scene.round();
    await scene.round(3_600_000);
    expect(await scene.states()).toEqual(["1/1 fact delivered", "2/1 fact delivered"]);
  });

  it("keeps the fault of a stream until a round succeeds, and hands over meanwhile", async () => {
    await using lane = await erpWithLane();
    const { scene } = lane;
    await scene.round();
    scene.service.isDown = true;
    await scene.round();
    const since = scene.clock.now();
    await scene.round();
    expect((await scene.store.returns.mark("reports"))?.error).toMatchObject({
      code: "E_SERVICE_UNREACHABLE",
      at: since,
    });
    scene.service.isDown = false;
    await scene.round();
    expect((await scene.store.returns.mark("reports"))?.error).toBeUndefined();
  });

  it("holds more than usual until a person releases it", async () => {
    await using lane = await erpWithLane({ guard: 2 });
    const { scene, count } = lane;
    await scene.round();
    for (const subject of ["1", "2", "3"]) scene.approve(subject);
    await scene.round();
    await scene.round();
    expect(await count()).toBe(0);
    expect((await scene.store.returns.mark("reports"))?.held).toMatchObject({ count: 3, usual: 0 });
    await scene.store.returns.saveMark("reports", { held: undefined, released: 3 });
    await scene.round();
    expect(await count()).toBe(3);
    expect((await scene.store.returns.mark("reports"))?.released).toBeUndefined();
  });
});

it("hands over nothing once a person has paused the stream, also while it looks for changes", async () => {
  await using lane = await erpWithLane();
  const { scene } = lane;
  await scene.round();
  scene.approve("2");
  const { service, store } = scene;
  const read = service.whole.bind(service);
  service.whole = async (subject) => {
    await store.returns.saveMark("reports", { paused: { at: 1, by: PERSON } });
    return read(subject);
  };
  await scene.round();
  expect(await scene.states()).toEqual(["2/1 fact prepared"]);
  await store.returns.saveMark("reports", { paused: undefined });
  await scene.round();
  expect(await scene.states()).toEqual(["2/1 fact delivered"]);
});

it("counts for the guard what arrived beside a return that failed", async () => {
  await using lane = await erpWithLane({ through: (destination) => failing(destination, "2") });
  const { scene } = lane;
  await scene.round();
  for (const subject of ["1", "2", "3"]) scene.approve(subject);
  await scene.round();
  expect(await scene.states()).toEqual(["1/1 fact delivered", "2/1 fact prepared", "3/1 fact delivered"]);
  expect((await scene.store.returns.mark("reports"))?.rate).toMatchObject({ count: 2 });
});

describe("an answer of the ERP", () => {
  it("is kept, and what follows is carried out once", async () => {
    const written: (string | undefined)[] = [];
    let fails = 1;
    const consequence: Consequence = {
      async carryOut(_item: Return, { document }: ReturnAnswer) {
        if (fails-- > 0) throw new RetryError("E_SERVICE_FAILED", "503");
        written.push(document);
      },
    };
    await using lane = await erpWithLane({ consequence });
    const { scene, answer } = lane;
    await scene.round();
    scene.approve("2");
    await scene.round();
    await answer("prod/reports/2/1", "ok", "RE-7");
    await scene.round();
    await scene.round();
    await scene.round();
    expect(written).toEqual(["RE-7"]);
    expect(await scene.one("2", 1)).toMatchObject({
      state: "accepted",
      answer: { document: "RE-7" },
      following: "done",
    });
  });

  it.each([true, false])(
    "is followed again when an approval was taken back and given again (seen between: %s)",
    async (isSeenBetween) => {
      const written: (string | undefined)[] = [];
      const consequence: Consequence = {
        carryOut: (_item: Return, { document }: ReturnAnswer) => Promise.resolve(void written.push(document)),
      };
      await using lane = await erpWithLane({ consequence });
      const { scene, answer, count } = lane;
      await scene.round();
      scene.approve("2");
      await scene.round();
      await answer("prod/reports/2/1", "ok", "RE-7");
      await scene.round();
      scene.approve("2", 1, { approved: false });
      if (isSeenBetween) await scene.round();
      scene.clock.advance(1_000);
      scene.approve("2");
      await scene.round();
      await scene.round();
      expect(written).toEqual(["RE-7", "RE-7"]);
      expect((await scene.states())[0]).toBe("2/1 fact accepted");
      expect(await count()).toBe(1);
    },
  );

  it("that the ERP changes after it accepted is noticed", async () => {
    const written: (string | undefined)[] = [];
    const consequence: Consequence = {
      carryOut: (_item: Return, { document }: ReturnAnswer) => Promise.resolve(void written.push(document)),
    };
    await using lane = await erpWithLane({ consequence });
    const { scene, answer, erp } = lane;
    await scene.round();
    scene.approve("2");
    await scene.round();
    await answer("prod/reports/2/1", "ok", "RE-7");
    await scene.round();
    await erp.place.writer.run("update svcsync_answers set document = 'RE-8'");
    await scene.round();
    expect(written).toEqual(["RE-7", "RE-8"]);
    await erp.place.writer.run("update svcsync_answers set result = 'refused'");
    await scene.round();
    expect(await scene.states()).toEqual(["2/1 fact refused"]);
  });

  it.each(["ok", "refused"])("of %s that was forgotten is not read in again", async (result) => {
    await using lane = await erpWithLane();
    const { scene, answer } = lane;
    await scene.round();
    scene.approve("2");
    await scene.round();
    await answer("prod/reports/2/1", result);
    await scene.round();
    expect((await scene.one("2", 1)).answer?.message).toBe("said so");
    await scene.store.returns.forget("reports", "2");
    await scene.round();
    expect((await scene.one("2", 1)).answer).toMatchObject({ result, message: undefined });
  });

  it("lets the correction of a refused report flow without a person", async () => {
    await using lane = await erpWithLane();
    const { scene, answer, count } = lane;
    await scene.round();
    scene.approve("2");
    await scene.round();
    await answer("prod/reports/2/1", "refused");
    await scene.round();
    expect(await scene.one("2", 1)).toMatchObject({ state: "refused", answer: { message: "said so" } });
    scene.approve("2", 4);
    await scene.round();
    expect(await scene.states()).toEqual(["2/1 fact refused", "2/2 correction delivered"]);
    expect(await count()).toBe(2);
  });

  it("can be asked for again: the same content goes as a new version", async () => {
    await using lane = await erpWithLane();
    const { scene, answer } = lane;
    await scene.round();
    scene.approve("2");
    await scene.round();
    await answer("prod/reports/2/1", "refused");
    await scene.round();
    expect(await scene.store.returns.decide({ stream: "reports", subject: "2", version: 1 }, "send", PERSON)).toBe(
      true,
    );
    await scene.round();
    expect(await scene.states()).toEqual(["2/1 fact refused", "2/2 correction delivered"]);
  });
});

describe("a store that was put back, or lost", () => {
  it("finds in the inbox what it has forgotten, and hands over nothing twice", async () => {
    await using lane = await erpWithLane();
    const { scene, count, erp } = lane;
    await scene.round();
    scene.approve("2");
    await scene.round();
    await using lost = await forgetful(erp.source, scene.service);
    await lost.round();
    lost.service.set("2", { ...scene.service.work.get("2")!, finalAt: lost.clock.now() });
    await lost.round();
    expect(await lost.states()).toEqual(["2/1 fact delivered"]);
    expect(await count()).toBe(1);
  });

  it("gives what changed since a person to decide, as a version behind all that the inbox has", async () => {
    await using lane = await erpWithLane({ corrections: "send" });
    const { scene, count, erp } = lane;
    await scene.round();
    scene.approve("2");
    await scene.round();
    scene.approve("2", 2);
    await scene.round();
    expect(await count()).toBe(2);
    await using lost = await forgetful(erp.source, scene.service);
    lost.approve("2", 5, { finalAt: lost.clock.now() + 600_000 });
    await lost.round();
    await lost.round();
    lost.service.set("2", lost.service.work.get("2"));
    await lost.round();
    expect(await lost.states()).toEqual(["2/2 correction withdrawn", "2/3 correction held"]);
    expect((await lost.store.returns.find({ states: ["held"], limit: 1 }))[0]?.error?.code).toBe("E_RETURN_CONFLICT");
    expect(await count()).toBe(2);
    await lost.store.returns.decide({ stream: "reports", subject: "2", version: 3 }, "send", PERSON);
    await lost.round();
    expect(await count("version = 3 and replaces = 'prod/reports/2/2'")).toBe(1);
  });
});

describe("a store that was put back to the first version of a report", () => {
  it("asks a person where the service is back there too, and the ERP has a newer one", async () => {
    await using stores = await putBack();
    const { earlier, count } = stores;
    earlier.approve("2", 1);
    await earlier.round();
    await earlier.round();
    expect(await earlier.states()).toEqual(["2/1 fact delivered", "2/2 correction withdrawn", "2/3 correction held"]);
    expect(await earlier.one("2", 3)).toMatchObject({
      replaces: 2,
      error: { code: "E_RETURN_CONFLICT" },
      content: { lines: [{ change: "changed", amount: "1", amountBefore: "2" }] },
    });
    expect(await count()).toBe(2);
  });

  it("asks nobody where the service says what the ERP has", async () => {
    await using stores = await putBack();
    const { earlier, count } = stores;
    earlier.approve("2", 2);
    await earlier.round();
    expect(await earlier.states()).toEqual(["2/1 fact delivered", "2/2 correction delivered"]);
    expect(await count()).toBe(2);
  });

  it("asks a person about the cancellation of what the ERP has", async () => {
    await using stores = await putBack();
    const { earlier, count } = stores;
    earlier.service.set("2", undefined);
    await earlier.round();
    await earlier.round();
    expect((await earlier.states()).at(-1)).toBe("2/3 cancelled held");
    expect(await earlier.one("2", 3)).toMatchObject({
      replaces: 2,
      content: { lines: [{ change: "removed", amount: "0", amountBefore: "2" }] },
    });
    expect(await count()).toBe(2);
  });

  it("does not take the ERP's answer to what is deleted for one to what it says now", async () => {
    await using stores = await putBack();
    const { earlier, lane } = stores;
    await lane.answer("prod/reports/2/2", "ok");
    await lane.erp.place.writer.run("delete from svcsync_return_lines; delete from svcsync_returns");
    earlier.clock.advance(86_400_000);
    earlier.approve("2", 5);
    await earlier.round();
    await earlier.store.returns.decide({ stream: "reports", subject: "2", version: 2 }, "send", PERSON);
    await earlier.round();
    expect(await earlier.states()).toEqual(["2/1 fact delivered", "2/2 correction withdrawn", "2/3 correction held"]);
    expect((await earlier.one("2", 3)).content.lines[0]?.amount).toBe("5");
  });

  it("replaces the version that the ERP had last, though the inbox has only an earlier one left", async () => {
    await using stores = await putBack();
    const { earlier, lane } = stores;
    await lane.answer("prod/reports/2/2", "ok");
    await lane.erp.place.writer.run("delete from svcsync_returns where version = 2");
    earlier.clock.advance(86_400_000);
    earlier.approve("2", 5);
    await earlier.round();
    await earlier.store.returns.decide({ stream: "reports", subject: "2", version: 2 }, "send", PERSON);
    await earlier.round();
    expect((await earlier.states()).at(-1)).toBe("2/3 correction held");
    expect(await earlier.one("2", 3)).toMatchObject({ replaces: 2 });
  });
});

it("tells the ERP the status again where a store was put back behind what the inbox has", async () => {
  await using stores = await putBack("status");
  const { earlier, lane } = stores;
  earlier.approve("2", 3);
  await earlier.round();
  await earlier.round();
  expect(await earlier.states()).toEqual(["2/1 status delivered", "2/2 status withdrawn", "2/3 status delivered"]);
  expect(await lane.count()).toBe(3);
});

it("hands over once though each answer of the inbox is lost", async () => {
  await using lane = await erpWithLane({ through: losingAnswers });
  const { scene, count } = lane;
  await scene.round();
  for (const subject of ["1", "2", "3"]) scene.approve(subject);
  for (let round = 0; round < 8; round++) await scene.round(3_600_000);
  expect(await scene.states()).toEqual(["1/1 fact delivered", "2/1 fact delivered", "3/1 fact delivered"]);
  expect(await count()).toBe(3);
});

/** Delivers, and then says that nobody knows: every first time. */
function losingAnswers(destination: Destination): Destination {
  const lost = new Set<string>();
  return {
    ...bound(destination),
    async deliver(item, signal) {
      const said = await destination.deliver(item, signal);
      if (lost.has(item.subject)) return said;
      lost.add(item.subject);
      throw new RetryError("E_SOURCE_UNREACHABLE", "the connection was cut", { outcomeUnknown: true });
    },
  };
}

function failing(destination: Destination, subject: string): Destination {
  return {
    ...bound(destination),
    deliver: (item, signal) => {
      if (item.subject === subject) throw new RetryError("E_SOURCE_UNREACHABLE", "the connection was cut");
      return destination.deliver(item, signal);
    },
  };
}

function bound(destination: Destination): Destination {
  return {
    deliver: (...of) => destination.deliver(...of),
    highest: (...of) => destination.highest(...of),
    answers: (...of) => destination.answers(...of),
    check: (...of) => destination.check(...of),
    [Symbol.asyncDispose]: () => destination[Symbol.asyncDispose](),
  };
}

/** The inbox has two versions of a report, and `earlier` knows the first one alone. */
async function putBack(kind: "reports" | "status" = "reports") {
  const lane = await erpWithLane({ corrections: "send", kind });
  const { scene, erp, count } = lane;
  await scene.round();
  scene.approve("2");
  await scene.round();
  const earlier = await LaneScene.open(
    erp.source,
    { kind },
    { place: await sqlitePlace(), service: new ScriptedService() },
  );
  await earlier.round();
  earlier.approve("2");
  await earlier.round();
  scene.approve("2", 2);
  await scene.round();
  expect([await count(), await earlier.states()]).toEqual([2, [`2/1 ${kind === "reports" ? "fact" : kind} delivered`]]);
  return {
    lane,
    earlier,
    count,
    async [Symbol.asyncDispose]() {
      await earlier[Symbol.asyncDispose]();
      await lane[Symbol.asyncDispose]();
    },
  };
}

/** A lane whose store knows nothing, beside an inbox that does. */
async function forgetful(source: OpenedSource<unknown>, service: ScriptedService): Promise<LaneScene> {
  const fresh = new ScriptedService();
  for (const [subject, work] of service.work) fresh.work.set(subject, work);
  return LaneScene.open(source, { installation: "fresh" }, { place: await sqlitePlace(), service: fresh });
}

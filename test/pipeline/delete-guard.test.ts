import { describe, expect, it, vi } from "vitest";
import { errorFacts, WaitError } from "#model";
import { deletionsAct } from "#operator";
import { heldDeletions } from "#pipeline";
import type { Store } from "#store";
import { DeleteGuard } from "../../src/pipeline/holds/delete-guard.ts";
import { customer, deletion, OOPS, Scene, upsert } from "../conformance/store-scene.ts";
import { carriedOut } from "../kit/acting.ts";
import { memoryLogger, silentLogger } from "../kit/logger.ts";
import { memoryPlace } from "../store/memory-place.ts";

const by = { name: "ann", via: "cli" } as const;
const HOUR = 3_600_000;
/** Lets no deletion pass. */
const none = { percent: 0, count: 0, floor: 0 };

/** A stream with so many records in the service. */
async function stream(count: number): Promise<Scene> {
  const scene = await Scene.open(memoryPlace);
  for (let at = 1; at <= count; at++) await scene.bound(customer(String(at)), at);
  return scene;
}

/** Lets the ERP delete a record; resolves to what the guard says of that. */
async function deleted(scene: Scene, key: string): Promise<string> {
  const { store, clock } = scene;
  await scene.stage([deletion(key)]);
  const guard = new DeleteGuard({ store, clock, logger: silentLogger, guard: none });
  const claim = await scene.claim(customer(key));
  try {
    await guard.expectAllowed(claim);
    await scene.store.end(claim, { kind: "release" });
    return "allowed";
  } catch (thrown) {
    const error = errorFacts(thrown);
    await store.end(claim, { kind: "wait", error, dueAt: clock.now() + HOUR });
    return error.code;
  }
}

describe("a person who confirms deletions", () => {
  it("means those that were held then, and none that come while they are counted", async () => {
    await using scene = await stream(4);
    expect(await deleted(scene, "1")).toBe("E_DELETION_HELD");
    scene.clock.advance(1_000);
    const counts: Store["counts"] = async (...of) => {
      scene.clock.advance(1_000);
      expect(await deleted(scene, "2")).toBe("E_DELETION_HELD");
      return scene.store.counts(...of);
    };
    const { store } = scene;
    const slow = new Proxy(store, {
      get: (target, name) => {
        if (name === "counts") return counts;
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    await carriedOut(deletionsAct, { store: slow }, "customers", { count: 1 }, by);
    expect([await deleted(scene, "1"), await deleted(scene, "2")]).toEqual(["allowed", "E_DELETION_HELD"]);
  });

  it("also means one that is being counted at that moment, which is looked at again within seconds, later each hour", async () => {
    await using scene = await stream(4);
    const { store, clock } = scene;
    const lookAt = async (key: string, meanwhile = async () => {}) => {
      const busy = new Proxy(store, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== "function") return member;
          if (name !== "announceDeletion") return member.bind(target);
          return async (...of: Parameters<Store["announceDeletion"]>) => {
            const told = await store.announceDeletion(...of);
            await meanwhile();
            return told;
          };
        },
      });
      const guard = new DeleteGuard({ store: busy, clock, logger: silentLogger, guard: none });
      const claim = await scene.claim(customer(key));
      const said: unknown = await guard.expectAllowed(claim).catch((thrown: unknown) => thrown);
      if (!(said instanceof WaitError)) return said === undefined ? "allowed" : errorFacts(said).code;
      await store.end(claim, { kind: "wait", error: errorFacts(said), dueAt: clock.now() + said.afterMs! });
      return said.afterMs;
    };
    await scene.stage([deletion("1")]);
    await lookAt("1");
    clock.advance(1_000);
    await scene.stage([deletion("2")]);
    const soon = await lookAt("2", async () => {
      await carriedOut(deletionsAct, scene, "customers", { count: 2 }, by);
    });
    expect(soon).toBeLessThan(5_000);
    clock.advance(Number(soon));
    expect([await lookAt("1"), await lookAt("2")]).toEqual(["allowed", "allowed"]);

    await scene.stage([deletion("3")]);
    clock.advance(Number(await lookAt("3")));
    expect(await lookAt("3")).toBe(HOUR);

    clock.advance(HOUR);
    const again = await lookAt("3", async () => {
      const { count } = (await heldDeletions(store, "customers"))!;
      await carriedOut(deletionsAct, scene, "customers", { count }, by);
    });
    expect(again).toBeLessThan(5_000);
    clock.advance(Number(again));
    expect(await lookAt("3")).toBe("allowed");
  });

  it("means as many as were seen", async () => {
    await using scene = await stream(4);
    await deleted(scene, "1");
    await deleted(scene, "2");
    await expect(carriedOut(deletionsAct, scene, "customers", { count: 1 }, by)).rejects.toMatchObject({
      code: "E_NOT_RESOLVABLE",
    });
    expect(await heldDeletions(scene.store, "customers")).toMatchObject({ count: 2 });
  });

  it("confirmed none of those that come after the clock was set back", async () => {
    await using scene = await stream(4);
    await deleted(scene, "1");
    await carriedOut(deletionsAct, scene, "customers", { count: 1 }, by);
    expect(await deleted(scene, "1")).toBe("allowed");
    scene.clock.advance(-HOUR);
    expect(await deleted(scene, "2")).toBe("E_DELETION_HELD");
    scene.clock.advance(2 * HOUR);
    expect(await deleted(scene, "2")).toBe("E_DELETION_HELD");
  });
});

it("counts the records of the stream once for all deletions that it holds", async () => {
  await using scene = await Scene.open(memoryPlace);
  const { store, clock } = scene;
  const logger = memoryLogger();
  const guard = new DeleteGuard({ store, clock, logger, guard: { percent: 50, count: 3, floor: 1 } });
  const keys = Array.from({ length: 20 }, (_, number) => `K${number}`);
  await scene.stage(keys.map((key) => upsert(key)));
  await scene.stage(keys.map((key) => deletion(key)));
  const counted = vi.spyOn(store, "counts");
  const messages = async () => {
    const said: string[] = [];
    for (const key of keys) {
      const claim = await scene.claim(customer(key));
      const held: unknown = await guard.expectAllowed(claim).catch((thrown: unknown) => thrown);
      if (held instanceof WaitError) said.push(held.message);
      await store.end(claim, { kind: "wait", error: OOPS, dueAt: clock.now() });
    }
    return said;
  };
  await messages();
  clock.advance(HOUR);
  expect(new Set(await messages())).toEqual(
    new Set([
      "more than 3 deletions of customers within a day are too many for the deletion guard; a person has to confirm them",
    ]),
  );
  expect(counted).toHaveBeenCalledTimes(1);
  expect(logger.lines).toMatchObject([
    { message: "deletions were held by the guard", fields: { count: 20, known: 20 } },
  ]);
});

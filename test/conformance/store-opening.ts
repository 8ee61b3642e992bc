import { describe, expect, it } from "vitest";
import { readinessNote } from "../../src/daemon/watch/work-proof.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { OOPS, Scene, customer, upsert, type MakePlace, type StoreFeatures } from "./store-scene.ts";

export function describeOpening(makePlace: MakePlace, { isOneProcess = false }: StoreFeatures): void {
  describe("opening and closing", () => {
    it.skipIf(isOneProcess)("belongs to one daemon at a time", async () => {
      await using scene = await Scene.open(makePlace);
      await expect(scene.another("daemon")).rejects.toMatchObject({ family: "stop", code: "E_STORE_BUSY" });
    });

    it("lets an operator read and answer beside a running daemon", async () => {
      await using scene = await Scene.open(makePlace);
      await using operator = await scene.another("operator");
      await scene.inState(customer("1"), "parked");
      expect((await operator.record(customer("1")))?.error).toEqual(OOPS);
      await operator.resolve(customer("1"), { kind: "create" });
      expect((await scene.claim(customer("1"))).decision).toEqual({ kind: "create" });
    });

    it.skipIf(isOneProcess)("lets a reader read beside a running daemon, and refuses each of its steps", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), "parked");
      await using reader = await scene.another("reader");
      await reader.check();
      expect((await reader.record(customer("1")))?.error).toEqual(OOPS);
      expect(await reader.counts()).toEqual(new Map([["customers", { parked: 1 }]]));
      const steps: Promise<unknown>[] = [
        reader.saveNote(readinessNote, 1),
        reader.resolve(customer("1"), { kind: "create" }),
        reader.retryNow({ stream: "customers", key: "1", states: ["parked"] }),
        reader.stage("customers", {
          changes: [upsert("2")],
          unreadable: [],
          cursor: 1,
          backfill: false,
          complete: true,
        }),
        reader.decideAdoption("customers", "adopt"),
        reader.watches.watch({ id: customer("1"), until: scene.clock.now() + 1_000, by: { name: "ada", via: "cli" } }),
      ];
      const refusals = await Promise.allSettled(steps);
      expect(refusals.map((refusal) => (refusal.status === "rejected" ? refusal.reason.code : "done"))).toEqual(
        steps.map(() => "E_STORE_READONLY"),
      );
      await scene.stage([upsert("3")]);
      expect((await reader.record(customer("3")))?.state).toBe("due");
      expect(await scene.state(customer("1"))).toBe("parked");
    });

    it.skipIf(isOneProcess)("lets a reader read without a daemon, but makes no store for it", async () => {
      await using place = await makePlace();
      const open = (as: "daemon" | "reader") => place.open({ as, clock: new SetClock(), logger: silentLogger });
      await expect(open("reader")).rejects.toMatchObject({ family: "stop", code: "E_STORE_UNPREPARED" });
      await expect(open("reader")).rejects.toMatchObject({ code: "E_STORE_UNPREPARED" });
      await (await open("daemon"))[Symbol.asyncDispose]();
      await using reader = await open("reader");
      expect(await reader.counts()).toEqual(new Map());
    });

    it("has another revision after each commit, whoever made it, and the same one without", async () => {
      await using scene = await Scene.open(makePlace);
      await using operator = await scene.another("operator");
      const { store } = scene;
      const first = await store.revision();
      if (first === undefined) return;
      await scene.stage([upsert("1")]);
      const second = await store.revision();
      await operator.saveNote(readinessNote, 1);
      const third = await store.revision();
      expect(new Set([first, second, third]).size).toBe(3);
      await store.records({ stream: "customers", limit: 1 });
      expect(await store.revision()).toBe(third);
    });

    it("keeps the claims of a running daemon when an operator opens it", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      await using operator = await scene.another("operator");
      expect(await operator.claim(customer("1"))).toBeUndefined();
      await scene.store.end(claim, { kind: "park", error: OOPS });
    });

    it("records what was asked for before it is disposed, and refuses what comes later", async () => {
      await using scene = await Scene.open(makePlace);
      const { store } = scene;
      const staged = scene.stage([upsert("1")]);
      await store[Symbol.asyncDispose]();
      expect(await staged).toEqual({ changed: 1, unchanged: 0 });
      await expect(store.claim(customer("1"))).rejects.toMatchObject({ family: "stop", code: "E_STORE_CLOSED" });
      await expect(store.record(customer("1"))).rejects.toMatchObject({ family: "stop", code: "E_STORE_CLOSED" });
      await store[Symbol.asyncDispose]();
      await scene.reopen();
      expect(await scene.dueKeys()).toEqual(["1"]);
    });

    it("passes its own check", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await expect(scene.store.check()).resolves.toBeUndefined();
    });
  });
}

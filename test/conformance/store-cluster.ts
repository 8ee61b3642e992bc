import { describe, expect, it } from "vitest";
import type { ClusterState } from "#store";
import { Scene, customer, upsert, type MakePlace } from "./store-scene.ts";

const REPORT = { held: 0, isServed: true, ceiling: 6, pausedMs: 0, rate: undefined };

/** What every form of the cluster promises to a daemon that works alone. */
export function describeCluster(makePlace: MakePlace): void {
  describe("the cluster of one daemon", () => {
    it("is led by it, and shares nothing", async () => {
      await using scene = await Scene.open(makePlace);
      const { cluster } = scene.store;
      const heard: ClusterState[] = [];
      cluster.follow(
        () => REPORT,
        (state) => heard.push(state),
      );
      const alone = { isLeader: true, isAgreed: true, isNeeded: true, share: undefined, rate: undefined, others: 0 };
      expect(heard[0]).toMatchObject(alone);
      expect(cluster.state).toMatchObject({ ...alone, othersServed: 0, mustFence: false, unconfirmed: undefined });
      expect(cluster.mayWrite()).toBe(true);
      cluster.reportNow();
      await cluster.lead();
      expect(cluster.state.isLeader).toBe(true);
      expect((await cluster.members()).filter(({ isLeader }) => !isLeader)).toEqual([]);
    });

    it("lets it claim, and reserve any name", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1"), upsert("2")]);
      const [one, two] = [await scene.claim(customer("1")), await scene.claim(customer("2"))];
      expect(await scene.store.cluster.reserve(one, ["email=a"])).toBeUndefined();
      expect(await scene.store.cluster.reserve(two, ["email=a"])).toBeUndefined();
    });

    it("runs work that only one process may run, and passes its end on", async () => {
      await using scene = await Scene.open(makePlace);
      const { cluster } = scene.store;
      const { signal } = new AbortController();
      expect(await cluster.alone("match/customer", signal, () => Promise.resolve(7))).toBe(7);
      const fault = new Error("the service is away");
      await expect(cluster.alone("match/customer", signal, () => Promise.reject(fault))).rejects.toBe(fault);
      expect(await cluster.alone("match/customer", signal, () => Promise.resolve(8))).toBe(8);
    });

    it("has given up the lead when the leader's work has ended, and not before", async () => {
      await using scene = await Scene.open(makePlace);
      const ended = Promise.withResolvers<boolean>();
      const order: string[] = [];
      const resigned = scene.store.cluster.resign(ended.promise).then(() => order.push("resigned"));
      await scene.store.counts();
      order.push("ended");
      ended.resolve(true);
      await resigned;
      expect(order).toEqual(["ended", "resigned"]);
    });

    it("has no member of another name to fence", async () => {
      await using scene = await Scene.open(makePlace);
      const by = { name: "Ann", via: "cli", why: "it burnt" } as const;
      expect(await scene.store.cluster.fence("nobody", by)).toBe(0);
      expect(scene.store.cluster.mayWrite()).toBe(true);
    });
  });
}

import { describe, expect, it } from "vitest";
import { customer, OOPS, Scene, type MakePlace } from "./store-scene.ts";

export function describeStandings(makePlace: MakePlace): void {
  describe("where records stand", () => {
    it("is told page by page, without those that pass", async () => {
      await using scene = await Scene.open(makePlace);
      for (const state of ["due", "applied", "waiting", "parked", "skipped"] as const)
        await scene.inState(customer(state), state);
      await scene.store.end(await scene.claimed(customer("soon")), {
        kind: "wait",
        error: OOPS,
        dueAt: scene.clock.now() + 1_000,
      });
      await scene.inState({ stream: "contacts", key: "other" }, "parked");
      const first = await scene.store.standings.page("customers", "", 3);
      const second = await scene.store.standings.page("customers", first.next ?? "", 3);
      expect([...first.standings, ...second.standings]).toEqual([
        { key: "applied", state: "applied", code: undefined, serviceId: 10_007 },
        { key: "parked", state: "parked", code: OOPS.code, serviceId: undefined },
        { key: "skipped", state: "skipped", code: "E_SKIPPED", serviceId: undefined },
        { key: "waiting", state: "waiting", code: OOPS.code, serviceId: undefined },
      ]);
      expect(second.next).toBeUndefined();
    });
  });
}

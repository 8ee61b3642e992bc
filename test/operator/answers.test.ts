import { describe, expect, it } from "vitest";
import { decideAdoption, resolve, unbindAct } from "#operator";
import { customer, OOPS, Scene, upsert } from "../conformance/store-scene.ts";
import { carriedOut } from "../kit/acting.ts";
import { customersFile } from "../pipeline/customer-stream.ts";
import { memoryPlace } from "../store/memory-place.ts";

const [ann, ben] = [
  { name: "ann", via: "page" },
  { name: "ben", via: "page" },
] as const;
const [id, projection] = [customer("1"), {}];

/** A delivery whose create has no end that anybody saw. */
async function createInDoubt(scene: Scene): Promise<number> {
  const { store, clock } = scene;
  clock.advance(1_000);
  const claimed = await scene.claim(id);
  await store.begin(claimed, { resource: "customer", projection });
  await store.end(claimed, { kind: "uncertain", error: OOPS });
  return (await store.record(id))!.intent!.begunAt;
}

describe("two people who answer the same record", () => {
  it("create it once: the second one did not look for what the first one's answer may have made", async () => {
    await using scene = await Scene.open(memoryPlace);
    await scene.stage([upsert("1")]);
    const begunAt = await createInDoubt(scene);
    await resolve(scene, { id, answer: "create", begunAt }, ann);
    const both = { id, answer: "create", begunAt } as const;
    await expect(resolve(scene, both, ben)).rejects.toMatchObject({ code: "E_NOT_RESOLVABLE" });
    const again = await createInDoubt(scene);
    await expect(resolve(scene, both, ben)).rejects.toMatchObject({ code: "E_NOT_RESOLVABLE" });
    await expect(resolve(scene, { ...both, begunAt: "none" }, ben)).rejects.toMatchObject({ code: "E_NOT_RESOLVABLE" });
    expect(await scene.store.record(id)).toMatchObject({ state: "uncertain", intent: { begunAt: again } });
    await resolve(scene, { ...both, begunAt: again }, ben);
    expect(await scene.store.record(id)).toMatchObject({ state: "due" });
  });

  it("end the binding that was wrong, not the one that took its place", async () => {
    await using scene = await Scene.open(memoryPlace);
    const { store } = scene;
    await scene.stage([upsert("1")]);
    const wrong = { resource: "customer", serviceId: 5 };
    const right = { resource: "customer", serviceId: 6 };
    await store.resolve(id, { kind: "bind", binding: wrong });
    await carriedOut(unbindAct, scene, id, { serviceId: 5 }, ann);
    await store.resolve(id, { kind: "bind", binding: right });
    await expect(carriedOut(unbindAct, scene, id, { serviceId: 5 }, ben)).rejects.toMatchObject({
      code: "E_NOT_RESOLVABLE",
    });
    expect((await store.record(id))!.binding).toEqual(right);
  });
});

describe("a stream that creates nothing", () => {
  const stream = { ...customersFile().streams[0]!, create: "never" } as const;

  it("creates none for a person either, who may still leave a record out", async () => {
    await using scene = await Scene.open(memoryPlace);
    await scene.stage([upsert("1")]);
    await createInDoubt(scene);
    const created = resolve(scene, { id, answer: "create", stream }, ann);
    await expect(created).rejects.toMatchObject({ code: "E_NOT_RESOLVABLE" });
    await expect(created).rejects.toThrow("customers has create: never in the sync file");
    expect(await scene.store.record(id)).toMatchObject({ state: "uncertain" });
    await resolve(scene, { id, answer: "skip", stream }, ann);
    expect(await scene.store.record(id)).toMatchObject({ state: "skipped" });
  });

  it("is released to bind what the service has, even by a field that nothing has yet, and never to create all", async () => {
    await using scene = await Scene.open(memoryPlace);
    const { store } = scene;
    const matcher = { blindFields: () => Promise.resolve(["customerId"]) };
    const decide = (decision: "adopt" | "create-all", streams = [stream] as const) =>
      decideAdoption({ store, matcher }, { streams, decision }, ann);
    await expect(decide("create-all")).rejects.toMatchObject({ code: "E_NOT_RESOLVABLE" });
    expect((await store.stream(stream.name)).adoption).toBeUndefined();
    await decide("adopt");
    expect((await store.stream(stream.name)).adoption).toMatchObject({ decision: "adopt" });
  });
});

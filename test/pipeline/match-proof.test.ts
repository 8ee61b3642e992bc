import { expect, it } from "vitest";
import type { JsonObject } from "#model";
import { AdoptionGate, Matcher, ruleNames } from "#pipeline";
import { Redaction } from "#telemetry";
import { closedNote, keptNote } from "../../src/pipeline/notes.ts";
import { MatchProof } from "../../src/pipeline/deliver/create/match-proof.ts";
import { customer, Scene, written } from "../conformance/store-scene.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { never, thrownBy } from "../kit/outcome.ts";
import { memoryPlace } from "../store/memory-place.ts";
import { customersFile } from "./customer-stream.ts";

const createOne = async () => ({ serviceId: 1, dropped: [], status: 200, durationMs: 1 });

/** A service that is not asked. */
const unasked = {
  read: () => Promise.reject(new Error("asked")),
  list: () => {
    throw new Error("asked");
  },
};

it("tells when no create runs any more that only the leader may make, and that its result is known", async () => {
  await using place = await memoryPlace();
  await using store = await place.open({ as: "daemon", clock: new SetClock(), logger: silentLogger });
  const happened: string[] = [];
  const note = (what: string) => void happened.push(what);
  const read = async () => {
    note("read back");
    return { id: 1, customerId: "K1" };
  };
  const proof = new MatchProof({ store, service: { read }, logger: silentLogger, close: () => Promise.resolve() });
  const begun = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const create = async () => {
    begun.resolve();
    await answered.promise;
    note("created");
    return { serviceId: 1, dropped: [], status: 200, durationMs: 1 };
  };
  const [stream] = customersFile().streams;
  const created = proof.create(stream!, { customerId: "K1" }, create, never);
  await begun.promise;
  const ended = proof.trialsEnded().then(() => note("ended"));
  answered.resolve();
  await Promise.all([created, ended]);
  expect(happened).toEqual(["created", "read back", "ended"]);
  await proof.trialsEnded();
});

it("holds no stream for an answer that names another record's id", async () => {
  await using scene = await Scene.open(memoryPlace);
  const { store } = scene;
  const claim = await scene.claimed(customer("1"));
  await store.begin(claim, { resource: "customer", projection: {} });
  await store.end(claim, {
    kind: "bind",
    binding: { resource: "customer", serviceId: 7 },
    applied: written({}, [], { outcome: "created" }),
  });
  const held: unknown[] = [];
  const close = async (...of: unknown[]) => void held.push(of);
  const other = { id: 7, customerId: "K0" };
  const proof = new MatchProof({ store, service: { read: async () => other }, logger: silentLogger, close });
  const answered = Promise.resolve({ serviceId: 7, dropped: [], status: 200, durationMs: 1 });
  await proof.create(customersFile().streams[0]!, { customerId: "K1" }, () => answered, never);
  expect(held).toEqual([]);
});

it("stays proven, and stays held, also where a weak password is a part of a match field's name", async () => {
  await using place = await memoryPlace();
  const { redact } = new Redaction(["customer"]);
  await using store = await place.open({ as: "daemon", clock: new SetClock(), logger: silentLogger, redact });
  const stream = customersFile().streams[0]!;
  let reads = 0;
  const read = async () => void reads++;
  const restarted = () =>
    new MatchProof({ store, service: { read }, logger: silentLogger, close: () => Promise.resolve() });
  await restarted().found(stream);
  await restarted().create(stream, { customerId: "K1" }, createOne, never);
  expect(reads).toBe(0);
  await store.saveNote(keptNote(stream.name), undefined);
  await store.saveNote(closedNote(stream.name), { rules: ruleNames(stream), reason: "the service does not keep it" });
  const thrown = await thrownBy(restarted().create(stream, { customerId: "K1" }, createOne, never));
  expect(thrown).toMatchObject({ code: "E_MATCH_DROPPED" });
});

it("tries again once a person has let a stream through whose match field was dropped", async () => {
  await using place = await memoryPlace();
  await using store = await place.open({ as: "daemon", clock: new SetClock(), logger: silentLogger });
  const stream = customersFile().streams[0]!;
  const opened = Promise.withResolvers<void>();
  const gate = new AdoptionGate(
    {
      store,
      // A stream that a person let through is not looked for in the service.
      matcher: new Matcher(
        {
          store,
          service: { ...unasked, now: Date.now },
          clock: new SetClock(),
          logger: silentLogger,
          settleMs: 0,
          maxAgeMs: 0,
        },
        [],
      ),
      restored: { compare: () => Promise.resolve(0) },
      age: { compare: () => Promise.resolve() },
      leftOut: { look: () => Promise.resolve() },
      logger: silentLogger,
      settleMs: 0,
      opened: opened.resolve,
      stop: opened.reject,
    },
    [stream],
  );
  let shown: JsonObject = { id: 1 };
  const proof = new MatchProof({
    store,
    service: { read: () => Promise.resolve(shown) },
    logger: silentLogger,
    close: (...of) => gate.close(...of),
  });
  const create = (serviceId: number) =>
    proof.create(
      stream,
      { customerId: "K1" },
      () => Promise.resolve({ serviceId, dropped: [], status: 200, durationMs: 1 }),
      never,
    );
  await create(1);
  expect(await thrownBy(create(2))).toMatchObject({ family: "wait", code: "E_MATCH_DROPPED" });

  shown = { id: 3, customerId: "K1" };
  await store.decideAdoption(stream.name, "adopt");
  const stop = new AbortController();
  const running = gate.run(stop.signal);
  await opened.promise;
  expect(await create(3)).toMatchObject({ serviceId: 3 });
  stop.abort();
  await running;
});

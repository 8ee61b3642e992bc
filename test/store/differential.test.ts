import * as fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { recordName, RECORD_STATES, type Actor, type ErrorFacts, type RecordId } from "#model";
import type { Claim, Store } from "#store";
import { LEASE_MS, Scene, deletion, upsert, written } from "../conformance/store-scene.ts";
import { postgresPlaces } from "./postgres-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

/** A story takes some seconds. */
const RUNS = 4;
const STREAMS = ["contacts", "customers"];
/** Texts that the databases store, sort or compare in ways of their own. */
const TEXTS = [
  "1",
  "10",
  "é",
  "e\u0301",
  "😀",
  "\uffee",
  "a\0b",
  "\u0001",
  "\ud7ff",
  "a'b\\",
  "@key",
  "k".repeat(3_000),
];
const ROUND_MS = 10_000;
const by: Actor = { name: "anna", via: "cli", why: "because" };

/** One of the two stores, and the claims that it gave out, the latest first. */
interface Side {
  readonly scene: Scene;
  readonly claims: Claim[];
}

type Happening = (side: Side) => Promise<unknown>;

const stream = fc.constantFrom(...STREAMS);
const text = fc.constantFrom(...TEXTS);
const id: fc.Arbitrary<RecordId> = fc.record({ stream, key: text });
const row = fc.record({ v: fc.oneof(text, fc.constant("\ud800"), fc.nat(2), fc.constant(null)) });
const serviceId = fc.integer({ min: 1, max: 6 });
const flag = fc.boolean();
const delayMs = fc.constantFrom(0, 500, 100_000);
const error: fc.Arbitrary<ErrorFacts> = fc.record({
  code: fc.constantFrom("E_INTERNAL", "E_RECORD_GONE"),
  message: text,
  details: fc.constant({}),
});
const parents = fc.uniqueArray(fc.record({ stream, key: text, serviceId }), { maxLength: 2, selector: recordName });
const keys = fc.dictionary(fc.constantFrom("name", "name,zip"), text, { maxKeys: 2 });

const of = <Args>(args: fc.Arbitrary<Args>, happen: (side: Side, args: Args) => Promise<unknown>, weight = 1) => ({
  weight,
  arbitrary: args.map(
    (each): Happening =>
      (side) =>
        happen(side, each),
  ),
});

/** A step with the latest claim, or with one before. */
const step = <Args>(
  args: fc.Arbitrary<Args>,
  take: (store: Store, claim: Claim, args: Args, now: number) => Promise<unknown>,
  weight = 2,
) =>
  of(
    fc.tuple(fc.constantFrom(0, 0, 0, 1), args),
    async ({ scene, claims }, [age, each]) => {
      const claim = claims[age];
      return claim && take(scene.store, claim, each, scene.clock.now());
    },
    weight,
  );

const staged = fc.tuple(
  stream,
  fc.tuple(text, row, fc.constantFrom("upsert", "upsert", "delete", "unreadable"), error),
);
const batchOf = ([, [key, each, kind, why]]: typeof staged extends fc.Arbitrary<infer Value> ? Value : never) => ({
  changes: kind === "unreadable" ? [] : [kind === "delete" ? deletion(key) : upsert(key, each)],
  unreadable: kind === "unreadable" ? [{ key, error: why }] : [],
});

const happening = fc.oneof(
  of(
    fc.tuple(staged, flag, flag),
    ({ scene: { store } }, [each, backfill, complete]) =>
      store.stage(each[0], { ...batchOf(each), cursor: 1, backfill, complete }),
    8,
  ),
  of(staged, ({ scene: { store } }, each) => store.stageDeletions(each[0], { ...batchOf(each), cursor: 2 })),
  of(fc.tuple(staged, fc.nat(9)), ({ scene: { store } }, [each, since]) =>
    store.stageRead(each[0], { ...batchOf(each), since }),
  ),
  of(
    fc.nat(3),
    async ({ scene: { store }, claims }, turn) => {
      const due = await store.due({ limit: 4, streams: STREAMS });
      const claim = due.length === 0 ? undefined : await store.claim(due[turn % due.length]!.id);
      if (claim) claims.unshift(claim);
      return claim && { ...claim, token: "" };
    },
    16,
  ),
  step(row, (store, claim, projection) => store.begin(claim, { resource: claim.id.stream, projection })),
  step(row, (store, claim, fields) => store.markInFlight(claim, { kind: "update", fields })),
  step(
    fc.tuple(serviceId, row, parents, keys),
    async (store, claim, [to, each, ids, found]) => {
      const binding = { resource: claim.id.stream, serviceId: to };
      return (await store.end(claim, { kind: "bind", binding, applied: written(each, ids, { keys: found }) }))
        .map(recordName)
        .toSorted();
    },
    10,
  ),
  step(
    fc.tuple(row, parents, flag),
    (store, claim, [each, ids, again]) => store.end(claim, { kind: "apply", applied: written(each, ids, { again }) }),
    4,
  ),
  step(fc.tuple(error, delayMs, text), (store, claim, [why, ms, outcome], now) =>
    store.end(claim, {
      kind: "retry",
      error: why,
      dueAt: now + ms,
      audit: { action: "attempt", resource: "customer", outcome },
    }),
  ),
  step(
    fc.tuple(error, parents, id, delayMs),
    (store, claim, [why, ids, other, ms], now) =>
      store.end(claim, { kind: "wait", error: why, parents: ids, optional: [other], dueAt: now + ms }),
    4,
  ),
  step(fc.tuple(error, parents), (store, claim, [why, ids]) =>
    store.end(claim, { kind: "park", error: why, parents: ids }),
  ),
  step(error, (store, claim, why) => store.end(claim, { kind: "uncertain", error: why })),
  step(text, (store, claim, why) => store.end(claim, { kind: "skip", reason: why })),
  step(delayMs, (store, claim, ms, now) =>
    store.announceDeletion(claim, { since: now - ms, confirmedAt: now - 500, limit: 2 }),
  ),
  step(flag, (store, claim, unbind) => store.end(claim, { kind: "remove", unbind })),
  of(
    fc.tuple(id, serviceId, fc.constantFrom("bind", "create", "skip", "unbind")),
    ({ scene: { store } }, [one, to, kind]) =>
      store.resolve(one, kind === "bind" ? { kind, binding: { resource: one.stream, serviceId: to } } : { kind }, by),
    4,
  ),
  of(fc.tuple(id, fc.subarray([...RECORD_STATES])), ({ scene: { store } }, [one, states]) =>
    store.retryNow({ ...one, states }, by),
  ),
  of(fc.tuple(id, row), ({ scene: { store } }, [one, fields]) => store.recheck(one, fields), 2),
  of(fc.tuple(stream, fc.constantFrom("1", "10", "é"), text), async ({ scene: { store } }, [name, key, cause]) => {
    const notice = { kind: "k", severity: "note", title: "t", cause, affected: `${name}: ${key}` } as const;
    const changed = [{ ...notice, id: name, firstSeenAt: 1, grewAt: 1 }];
    await store.notices.saveNotices({ changed, ended: [], events: [] });
  }),
  of(id, ({ scene: { store } }, one) => store.privacy.forget(one, by), 2),
  of(
    fc.tuple(stream, fc.array(text)),
    async ({ scene: { store } }, [name, seen]) => {
      const sweep = await store.beginSweep(name);
      await store.markSeen(name, sweep, seen);
      return [await store.unseenKeys(name, seen), await store.endSweep(name, sweep)];
    },
    2,
  ),
  of(fc.tuple(stream, serviceId, keys, flag), async ({ scene: { store, clock } }, [name, to, found, whole]) => {
    await store.beginMatches(name);
    await store.saveMatches(name, [{ serviceId: to, keys: found }]);
    const { known, unseen } = await store.unseenMatches(name, 1);
    await store.endMatches(name, { whole, readAt: clock.now() });
    return { known, unseen };
  }),
  of(fc.tuple(stream, fc.nat(2)), ({ scene: { store } }, [name, mapping]) => store.remap(name, `${mapping}`)),
  of(fc.constantFrom(1, 500, LEASE_MS), async ({ scene: { clock } }, ms) => clock.advance(ms), 2),
  of(fc.constantFrom(700, ROUND_MS), async ({ scene: { store, clock } }, ms) => {
    clock.advance(-ms);
    await store.clockSetBack(ms);
  }),
  of(fc.constant(0), ({ scene }) => scene.reopen()),
);

/** What everyone can ask of a store. */
async function seen({ scene: { store, clock } }: Side): Promise<unknown> {
  const now = clock.now();
  const each = STREAMS.map(async (name) => ({
    cursor: await store.stream(name),
    since: await store.undeliveredSince(name),
    nextAt: await store.nextDueAt([name], { errors: ["E_INTERNAL"], after: now + ROUND_MS }),
    open: await store.openDeletions(name, 9),
    deleted: await store.deletionCount(name, { since: now - ROUND_MS, confirmedAt: now - 500 }),
    unbound: await store.unboundMatches(name),
    matches: await Promise.all(TEXTS.map((key) => store.matches(name, "name", key))),
    children: await Promise.all(
      TEXTS.map(async (key) => (await store.children({ stream: name, key }, "bound")).map(recordName).toSorted()),
    ),
  }));
  return {
    streams: await Promise.all(each),
    records: await store.records({ limit: 100 }),
    due: await store.due({ limit: 100, streams: STREAMS }),
    counts: Object.fromEntries(await store.counts()),
    audit: await store.audit({ limit: 100 }),
    acts: await store.acts.recent({ since: 0, limit: 100 }),
    causes: (await store.notices.notices()).map(({ cause }) => cause),
  };
}

async function outcome(happening: Happening, side: Side): Promise<unknown> {
  return happening(side).catch((thrown: unknown) =>
    thrown instanceof Error && "code" in thrown ? thrown.code : thrown,
  );
}

const servers = postgresPlaces();
afterAll(() => servers.end());

it("SQLite and PostgreSQL answer and hold the same after every one of many random happenings", async () => {
  const story = fc.array(happening, { minLength: 60, maxLength: 120, size: "max" });
  const property = fc.asyncProperty(story, async (happenings) => {
    await using file = await Scene.open(sqlitePlace);
    await using server = await Scene.open(() => servers.make());
    const [one, other] = [file, server].map((scene): Side => ({ scene, claims: [] }));
    for (const happening of happenings) {
      expect(await outcome(happening, other!)).toEqual(await outcome(happening, one!));
      expect(await seen(other!)).toEqual(await seen(one!));
    }
  });
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
});

import { describe, expect, it } from "vitest";
import { errorFacts, ParkError, type ErrorFacts } from "#model";
import { AdoptionPlanner, Matcher, type PlannedRecord } from "#pipeline";
import { openTenant } from "../conformance/service-tenant.ts";
import { upsert } from "../conformance/store-scene.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { memoryPlace } from "../store/memory-place.ts";
import { customersFile } from "./customer-stream.ts";

const stream = customersFile({ fields: "{ customerId: id, name: name }" }).streams[0]!;

const deleting = customersFile({
  more: 'deleted: { when: "gone = 1", set: { name: gone } }',
  fields: "{ customerId: id, name: name }",
}).streams[0]!;

/** Rows of the ERP with these natural keys, beside records of the service with those and rows that cannot be read. */
async function planOf(
  ids: readonly string[],
  there: readonly string[],
  most?: number,
  unreadable: readonly { key: string; error: ErrorFacts }[] = [],
  of = stream,
) {
  await using tenant = await openTenant();
  await using place = await memoryPlace();
  const clock = new SetClock();
  await using store = await place.open({ as: "daemon", clock, logger: silentLogger });
  tenant.sandbox.seed(
    "customer",
    there.map((customerId) => ({ customerId, name: "There" })),
  );
  const changes = ids.map((id, at) => upsert(String(1_000 + at), { id, name: "Here" }));
  await store.stage(of.name, { changes, unreadable, cursor: null, backfill: true, complete: true });
  const { service } = tenant;
  const matcher = new Matcher({ store, service, clock, logger: silentLogger, settleMs: 0, maxAgeMs: 60_000 }, [of]);
  return await new AdoptionPlanner(store, service, matcher).plan(of, never, most);
}

const upTo = (count: number, letter: string) => Array.from({ length: count }, (_, at) => `${letter}${at}`);

describe("an adoption plan", () => {
  const matched = upTo(9, "m");
  const ids = [...matched, ...upTo(8, "new"), "two", "two", ...upTo(3, "same"), "two"];
  const there = [...matched, "two", ...["same0", "same1", "same2"].flatMap((id) => [id, id]), ...upTo(7, "other")];
  const counts = { matched: 9, new: 8, ambiguous: 6 };

  it("names what each record is, and which ones of the service are nobody's", async () => {
    const plan = await planOf(ids, there);
    expect(plan).toMatchObject({ counts, orphanCount: 14 });
    expect(plan.records.map(({ verdict }) => verdict)).toEqual([
      ...Array<string>(9).fill("matched"),
      ...Array<string>(8).fill("new"),
      ...Array<string>(6).fill("ambiguous"),
    ]);
    expect(plan.orphans).toHaveLength(14);
    expect(plan.records[17]).toMatchObject({
      counterparts: [{ name: "There", match: "customerId two" }],
      error: { message: "customers/1017 and customers/1018 and customers/1022 match it" },
    });
  });

  it("says why a row cannot be read, whether an earlier row could be or none", async () => {
    const error = errorFacts(new ParkError("E_ROW_UNREADABLE", "its stamp is odd"));
    const odd = ["1000", "2000"].map((key) => ({ key, error }));
    const { records } = await planOf(["m0", "m1"], ["m0", "m1"], undefined, odd);
    const unclear = { verdict: "unclear", error: { code: "E_ROW_UNREADABLE", message: "its stamp is odd" } };
    expect(records).toMatchObject([unclear, { verdict: "matched" }, unclear]);
  });

  it("counts all, and keeps few of each verdict where few are shown", async () => {
    const plan = await planOf(ids, there, 2);
    expect(plan).toMatchObject({ counts, orphanCount: 14 });
    const shown = (verdict: PlannedRecord["verdict"]) => plan.records.filter((record) => record.verdict === verdict);
    expect([shown("matched").length, shown("new").length, plan.orphans.length]).toEqual([2, 2, 2]);
    expect(shown("matched")[0]).toMatchObject({ overwrites: [{ field: "name", from: "There", to: "Here" }] });
    const contested = shown("ambiguous").filter(({ error }) => error?.code === "E_MATCH_TAKEN");
    expect(contested).toHaveLength(2);
    expect(contested[0]).toMatchObject({ counterparts: [{ name: "There", match: "customerId two" }] });
  });

  it("leaves out what the service does not have where the stream creates nothing", async () => {
    const plan = await planOf(["m0", "new0", "m0"], ["m0"], undefined, [], { ...stream, create: "never" });
    expect(plan).toMatchObject({ create: "never", counts: { ambiguous: 2, "left out": 1 } });
    expect(plan.records[1]).toMatchObject({
      verdict: "left out",
      error: { code: "E_CREATE_NEVER", message: "create: never: the service has no customer with customerId new0" },
    });
  });

  it("leaves out a deletion that was delivered, whatever has its natural key now", async () => {
    await using tenant = await openTenant();
    await using place = await memoryPlace();
    const clock = new SetClock();
    await using store = await place.open({ as: "daemon", clock, logger: silentLogger });
    for (const customerId of ["two", "two", "one"]) tenant.sandbox.seed("customer", [{ customerId, name: "There" }]);
    const changes = ["two", "one", "none"].map((id) => upsert(id, { id, name: "Here", gone: 1 }));
    await store.stage(deleting.name, { changes, cursor: null, backfill: true, complete: true });
    for (const { id } of await store.records({ stream: deleting.name, limit: 9 }))
      await store.end((await store.claim(id))!, { kind: "remove", unbind: true });
    const { service } = tenant;
    const matcher = new Matcher({ store, service, clock, logger: silentLogger, settleMs: 0, maxAgeMs: 60_000 }, [
      deleting,
    ]);
    const { counts, orphanCount } = await new AdoptionPlanner(store, service, matcher).plan(deleting, never);
    expect({ counts, orphanCount }).toEqual({ counts: { "left out": 3 }, orphanCount: 3 });
  });
});

import { describe, expect, it } from "vitest";
import { errorFacts, ParkError, RetryError, recordName, type Binding } from "#model";
import type { Mapped } from "#mapping";
import { recordSides } from "#pipeline";
import type { ServiceRecord } from "#service";

const mapped: Mapped = {
  kind: "record",
  fields: [
    { name: "name", value: { kind: "value", value: "Muster AG" }, own: "always" },
    { name: "customerId", value: { kind: "ref", stream: "customers", key: "1" }, own: "always" },
    { name: "parentId", value: { kind: "ref", stream: "customers", key: "2" }, own: "always" },
    { name: "status", value: { kind: "lookup", resource: "status", by: "name", value: "Aktiv" }, own: "always" },
  ],
};
const record = {
  row: {},
  deleted: false,
  binding: { resource: "contact", serviceId: 7 },
  applied: { name: "Muster", customerId: 11, parentId: null, status: 3 },
};

type RecordShown = Parameters<typeof recordSides>[2];

const bound = new Map<string, Binding>([
  [recordName({ stream: "customers", key: "1" }), { resource: "customer", serviceId: 11 }],
]);
const bindings = () => Promise.resolve(bound);

/** The sides of the record, of which the service holds `held`; with the requests that were made. */
async function sidesOf(
  map: () => Promise<Mapped>,
  ask: boolean,
  held?: ServiceRecord | Error,
  shown: RecordShown = record,
) {
  const asked: string[] = [];
  const read = (resource: string, id: number) => {
    asked.push(`${resource} ${id}`);
    return held instanceof Error ? Promise.reject(held) : Promise.resolve(held);
  };
  const stream = { map, resource: "contact", ownedFields: ["name", "customerId", "parentId", "status"] };
  const signal = new AbortController().signal;
  const sides = await recordSides({ store: { bindings }, service: { read } }, stream, shown, { ask, signal });
  const byField = Object.fromEntries(sides.fields.map((field) => [field.field, field]));
  return { ...sides, byField, asked };
}

const map = () => Promise.resolve(mapped);

describe("the sides of a record", () => {
  it("call a field pending whose last write is in doubt: the next delivery sends it again", async () => {
    const same = { ...record, applied: { ...record.applied, name: "Muster AG", parentId: null } };
    const inFlight = { kind: "update", fields: { name: null } } as const;
    const sure = await sidesOf(map, false, undefined, same);
    const unsure = await sidesOf(map, false, undefined, { ...same, inFlight });
    expect([sure, unsure].map(({ byField }) => byField["name"]!.isPending)).toEqual([false, true]);
  });

  it.each([
    { own: "create", written: null, held: "theirs", isPending: false },
    { own: "empty", written: "theirs", held: "other", isPending: false },
    { own: "empty", written: null, held: "theirs", isPending: true },
  ] as const)(
    "call no value of others a change of ours ($own, $written)",
    async ({ own, written, held, isPending }) => {
      const fields = [{ name: "name", value: { kind: "value", value: "ours" }, own }] as const;
      const shown = { ...record, applied: { name: written } };
      const { byField } = await sidesOf(async () => ({ kind: "record", fields }), true, { id: 7, name: held }, shown);
      expect(byField["name"]).toMatchObject({ isPending, isChanged: false });
    },
  );

  it("say what the mapping makes of it without a request, and what is still to be written", async () => {
    const { byField, asked, service } = await sidesOf(map, false);

    expect([asked, service]).toEqual([[], "notAsked"]);
    expect(byField["name"]).toMatchObject({
      mapped: "Muster AG",
      written: "Muster",
      isPending: true,
      isChanged: false,
    });
    expect(byField["customerId"]).toMatchObject({ mapped: 11, written: 11, isPending: false });
    expect(byField["parentId"]).toMatchObject({ mapped: "customers/2, not in the service yet", isPending: false });
    expect(byField["status"]).toMatchObject({ mapped: 'status with name "Aktiv"', written: 3, isPending: false });
  });

  it("read the service with one request, and mark what was changed there", async () => {
    const { byField, asked, service } = await sidesOf(map, true, { id: 7, name: "Other", customerId: 11, status: 3 });

    expect([asked, service]).toEqual([["contact 7"], "there"]);
    expect(byField["name"]).toMatchObject({ found: "Other", isChanged: true });
    expect(byField["customerId"]).toMatchObject({ isChanged: false });
    expect(byField["parentId"]).toMatchObject({ isChanged: false });
  });

  it("say that the service does not show the record, or could not be asked", async () => {
    expect((await sidesOf(map, true)).service).toBe("gone");
    const failed = await sidesOf(map, true, new RetryError("E_SERVICE_DOWN", "no answer"));
    expect([failed.service, failed.error?.code]).toEqual(["failed", "E_SERVICE_DOWN"]);
  });

  it("say why there is nothing to write", async () => {
    const skipped = await sidesOf(() => Promise.resolve({ kind: "skip", reason: "blocked" }), false);
    const wrong = await sidesOf(() => Promise.reject(new ParkError("E_MAPPING", "name: no text")), false);

    expect([skipped.verdict, skipped.byField["name"]?.written]).toEqual(["left out: blocked", "Muster"]);
    expect(wrong.error).toMatchObject({ code: "E_MAPPING", message: "name: no text" });
  });

  it("say why the row could not be read, not which columns the mapping misses in it", async () => {
    const unreadable = errorFacts(new ParkError("E_ROW_UNREADABLE", "its stamp is odd"));
    const missing = new ParkError("E_MAPPING", "name: the row has no column");
    const { error } = await sidesOf(() => Promise.reject(missing), false, undefined, { ...record, unreadable });
    expect(error).toMatchObject({ code: "E_ROW_UNREADABLE", message: "its stamp is odd" });
  });
});

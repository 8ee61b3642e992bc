import { describe, expect, it } from "vitest";
import type { MappedField, MappedValue } from "#mapping";
import { recordName, WaitError, type RecordId, type RecordState } from "#model";
import { Resolver } from "../../src/pipeline/wanted/resolver.ts";
import { contact, customer } from "../conformance/store-scene.ts";
import { never } from "../kit/outcome.ts";

const self = contact("7");
const names: Readonly<Record<string, number>> = { Blue: 12, Green: 5 };

const lookup = (_resource: string, _by: string, name: unknown) => Promise.resolve(names[String(name)] ?? -1);

/** Resolves one field of the contact 7, where the customers of `bound` have those ids and those of `states` are in that state. */
function resolve(
  value: MappedValue,
  { bound = {}, states = {} }: { bound?: Record<string, number>; states?: Record<string, RecordState> } = {},
  own: MappedField["own"] = "always",
) {
  const bindings = (ids: readonly RecordId[]) =>
    Promise.resolve(
      new Map(
        ids.flatMap((id) => {
          const serviceId = bound[id.key];
          return serviceId === undefined ? [] : [[recordName(id), { serviceId }] as const];
        }),
      ),
    );
  const record = ({ key }: RecordId) => Promise.resolve(states[key] === undefined ? undefined : { state: states[key] });
  return new Resolver({ bindings, record }, { lookup }).resolve(self, [{ name: "field", value, own }], never);
}

const ref = (key: string | null): MappedValue => ({ kind: "ref", stream: "customers", key });
const optionalRef = (key: string): MappedValue => ({ kind: "ref", stream: "customers", key, optional: true });

const tags = (...values: string[]): MappedValue => ({ kind: "tags", resource: "tag", by: "name", values });

describe("a reference", () => {
  it("becomes the service's id, and is told as a parent", async () => {
    expect(await resolve(ref("10"), { bound: { 10: 99 } })).toMatchObject({
      projection: { field: 99 },
      parents: [{ ...customer("10"), serviceId: 99 }],
    });
  });

  it("without a key is written as empty", async () => {
    expect(await resolve(ref(null))).toMatchObject({ projection: { field: null }, parents: [] });
  });

  it.each([false, true])("to a record that is not bound yet is waited for (optional: %s)", async (optional) => {
    const thrown = await resolve(optional ? optionalRef("10") : ref("10"), { states: { 10: "waiting" } }).catch(
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(WaitError);
    expect(thrown).toMatchObject({
      code: "E_PARENT_MISSING",
      message: "waits for customers/10, which the service does not have yet",
      details: { parents: ["customers/10"] },
      missing: [customer("10")],
      optional: optional ? [customer("10")] : [],
    });
  });

  it.each(["deleted", "skipped"] as const)(
    "that is optional is not waited for where its record is %s",
    async (state) => {
      expect(await resolve(optionalRef("10"), { states: { 10: state } })).toMatchObject({
        projection: { field: null },
        parents: [{ ...customer("10"), serviceId: null }],
      });
      await expect(resolve(ref("10"), { states: { 10: state } })).rejects.toMatchObject({ optional: [] });
    },
  );

  it("to the record itself is not waited for", async () => {
    expect(await resolve({ kind: "ref", stream: self.stream, key: self.key })).toMatchObject({
      projection: { field: null },
      parents: [{ ...self, serviceId: null }],
    });
  });
});

describe("names", () => {
  it("that were looked up are ids in their order, each once, and shared with what others put there", async () => {
    const { projection, shared } = await resolve(tags("Blue", "Green", "Blue"));
    expect({ projection, shared }).toEqual({ projection: { field: [5, 12] }, shared: new Set(["field"]) });
  });

  it("that are empty are not looked up", async () => {
    const none = await resolve({ kind: "lookup", resource: "tag", by: "name", value: null });
    expect(none.projection).toEqual({ field: null });
  });
});

describe("a field that is not always written", () => {
  it.each([
    { own: "create", createOnly: ["field"], emptyOnly: [] },
    { own: "empty", createOnly: [], emptyOnly: ["field"] },
    { own: "always", createOnly: [], emptyOnly: [] },
  ] as const)("is told as such (own: $own)", async ({ own, createOnly, emptyOnly }) => {
    const wanted = await resolve({ kind: "value", value: "A" }, {}, own);
    expect([[...wanted.createOnly], [...wanted.emptyOnly]]).toEqual([createOnly, emptyOnly]);
  });
});

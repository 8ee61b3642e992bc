import { describe, expect, it } from "vitest";
import { isJsonObject, type Json } from "#model";
import type { ArrayChange, Patch } from "#service";
import type { ServiceDialect } from "#settings";
import { bodyOf, dialect, open, standIn, type Reply, type Seen } from "./stand-in.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const rename: Patch = { fields: { name: "B" }, arrays: {} };
const tagged: Patch = { fields: { name: "B" }, arrays: { tags: { add: [1], remove: [2] } } };

type ArrayRule = (value: Json, current: number[]) => number[] | undefined;

const supported: ArrayRule = (value, current) => {
  if (Array.isArray(value)) return value.map(Number);
  const ids = isJsonObject(value) && Array.isArray(value["ids"]) ? value["ids"].map(Number) : [];
  const action = isJsonObject(value) ? value["action"] : undefined;
  if (action === "add") return [...new Set([...current, ...ids])];
  return action === "remove" ? current.filter((id) => !ids.includes(id)) : ids;
};

const ignored: ArrayRule = (value, current) => (Array.isArray(value) ? supported(value, current) : current);

/** Takes the object for the whole array. */
const wholeArray: ArrayRule = (value) => supported(isJsonObject(value) ? (value["ids"] ?? []) : value, []);

/**
 * One ticket with tags 2 and 9, of which 9 is another person's, on a tenant that treats arrays by a rule. Carries out the edit of
 * number `last` and answers nothing from then on, until `last` is set to another one.
 */
async function ticket(rule: ArrayRule, tags: number[] = [2, 9], last = Infinity) {
  let record = { id: 7, name: "A", tags };
  /** The tags after each edit. */
  const states: number[][] = [];
  const line = { last };
  const server = await standIn((request: Seen): Reply => {
    if (states.length >= line.last) return { cut: true };
    if (request.method === "GET") return { json: record };
    const { tags: array, ...plain } = bodyOf(request);
    const changed = array === undefined ? record.tags : rule(array, record.tags);
    if (changed === undefined) return { status: 400, json: { status: 400, errorMessage: "invalid json data" } };
    record = { ...record, ...plain, tags: changed };
    states.push(changed);
    return states.length >= line.last ? { cut: true } : { json: record };
  });
  return { server, record: () => record, states, line };
}

const action = (name: string, ids: number[]) => ({ tags: { action: name, ids } });
const sent = (seen: readonly Seen[]) => seen.map(({ method, body }) => [method, ...(body === undefined ? [] : [body])]);

describe("editing", () => {
  it("PUTs only what is given, and asks the answer to show it", async () => {
    await using server = await standIn(() => ({ json: { id: 7, name: "B" } }));
    await using opened = open(server.url);
    const written = await opened.service.update("customer", 7, rename, never);
    expect(written).toMatchObject({ serviceId: 7, dropped: [], status: 200 });
    expect(sent(server.seen)).toEqual([["PUT", { name: "B" }]]);
    expect(server.seen[0]?.query.get("fields")).toBe("id,name");
  });

  it("tells which fields the service dropped with its 200", async () => {
    await using server = await standIn(() => ({ json: { id: 7, erpReferenceNumber: null } }));
    await using opened = open(server.url);
    const patch = { fields: { erpReferenceNumber: "E-1" }, arrays: {} };
    const { dropped } = await opened.service.update("svcDocument", 7, patch, never);
    expect(dropped).toEqual([{ field: "erpReferenceNumber", sent: "E-1", found: null }]);
  });

  it.each<[string, Reply, Reply]>([
    ["404", { status: 404 }, { status: 404 }],
    ["400, and no record", { status: 400 }, { status: 404 }],
  ])("says that the record is gone after %s", async (_, put, get) => {
    await using server = await standIn(({ method }) => (method === "PUT" ? put : get));
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.update("customer", 7, rename, never));
    expect(thrown).toMatchObject({ family: "park", code: "E_RECORD_GONE", details: { serviceId: 7 } });
  });

  it("may have been carried out where the record is not shown after a 200 with nothing", async () => {
    await using server = await standIn(({ method }) => (method === "PUT" ? { status: 200 } : { status: 404 }));
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.update("customer", 7, rename, never));
    expect(thrown).toMatchObject({ code: "E_RECORD_GONE", outcomeUnknown: true, details: { serviceId: 7 } });
  });

  it("may have been carried out where the record cannot be read after a 200 with nothing", async () => {
    await using server = await standIn(({ method }) => (method === "PUT" ? { status: 200 } : { status: 503 }));
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.update("customer", 7, rename, never));
    expect(thrown).toMatchObject({ family: "retry", code: "E_SERVICE_ANSWER", outcomeUnknown: true });
  });

  it("is refused after a 400 while the record is there", async () => {
    await using server = await standIn(({ method }) =>
      method === "PUT" ? { status: 400, json: { errorMessage: "bad date" } } : { json: { id: 7 } },
    );
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.update("customer", 7, rename, never));
    expect(thrown).toMatchObject({ code: "E_SERVICE_REFUSED", details: { said: "bad date" } });
  });

  it.each<[string, Reply]>([
    ["nothing", { status: 204 }],
    ["an id", { json: { id: 7 } }],
    ["a record without it", { json: { id: 7, customerId: "10023" } }],
  ])("reads back what was sent where an edit answers %s", async (_, answer) => {
    await using server = await standIn(({ method }) =>
      method === "PUT" ? answer : { json: { id: 7, name: "other" } },
    );
    await using opened = open(server.url);
    const { dropped } = await opened.service.update("customer", 7, rename, never);
    expect(dropped).toEqual([{ field: "name", sent: "B", found: "other" }]);
  });
});

describe("changing an array", () => {
  it("adds and removes our ids by action once that was seen to work, and leaves the others' alone", async () => {
    const { server, record } = await ticket(supported);
    await using _ = server;
    await using opened = open(server.url);
    expect((await opened.service.update("ticket", 7, tagged, never)).dropped).toEqual([]);
    expect(record().tags).toEqual([9, 1]);
    expect(sent(server.seen)).toEqual([
      ["GET"],
      ["PUT", { name: "B", tags: { action: "add", ids: [9, 1] } }],
      ["PUT", { tags: { action: "remove", ids: [2] } }],
    ]);
    await opened.service.update("ticket", 7, { fields: {}, arrays: { tags: { add: [3], remove: [] } } }, never);
    expect(sent(server.seen).slice(3)).toEqual([["PUT", { tags: { action: "add", ids: [3] } }]]);
  });

  it.each<[string, ArrayChange, number[], object[]]>([
    ["an addition", { add: [1], remove: [] }, [9], [action("add", [9, 1]), action("add", [9])]],
    ["the removal of the only id", { add: [], remove: [2] }, [2], [action("remove", [2])]],
    ["a removal beside others", { add: [], remove: [2] }, [2, 9], [action("add", [9]), action("remove", [2])]],
  ])("takes %s for proof that the action works", async (_name, change, tags, trial) => {
    const { server } = await ticket(supported, tags);
    await using _ = server;
    await using opened = open(server.url);
    await opened.service.update("ticket", 7, { fields: {}, arrays: { tags: change } }, never);
    expect(sent(server.seen)).toEqual([["GET"], ...trial.map((body) => ["PUT", body])]);
    await opened.service.update("ticket", 7, { fields: {}, arrays: { tags: { add: [4], remove: [] } } }, never);
    expect(sent(server.seen).slice(1 + trial.length)).toEqual([["PUT", action("add", [4])]]);
  });

  it.each<[string, ArrayRule]>([
    ["refuses the object", (value, current) => (Array.isArray(value) ? supported(value, current) : undefined)],
    ["ignores the object", ignored],
    ["takes the object for the whole array", wholeArray],
  ])("puts the array right and merges from then on where a tenant %s", async (_name, rule) => {
    const { server, record } = await ticket(rule);
    await using _ = server;
    await using opened = open(server.url);
    expect((await opened.service.update("ticket", 7, tagged, never)).dropped).toEqual([]);
    expect(record()).toMatchObject({ name: "B", tags: [9, 1] });
    expect(opened.log.filter(({ level }) => level === "warn")).toHaveLength(1);
    const before = server.seen.length;
    await opened.service.update("ticket", 7, { fields: {}, arrays: { tags: { add: [4], remove: [] } } }, never);
    expect(sent(server.seen).slice(before)).toEqual([["GET"], ["PUT", { tags: [9, 1, 4] }]]);
    expect(record().tags).toEqual([9, 1, 4]);
  });

  it.each<[string, ArrayChange, number[]]>([
    ["an addition", { add: [1], remove: [] }, [1, 2, 9]],
    ["a removal", { add: [], remove: [2] }, [9]],
    ["both", { add: [1], remove: [2] }, [1, 9]],
  ])("never shows others' ids gone where a tenant takes the object for the whole array: %s", async (...of) => {
    const [, change, expected] = of;
    const { server, record, states } = await ticket(wholeArray);
    await using _ = server;
    await using opened = open(server.url);
    await opened.service.update("ticket", 7, { fields: {}, arrays: { tags: change } }, never);
    expect(new Set(record().tags)).toEqual(new Set(expected));
    await opened.service.update("ticket", 7, { fields: {}, arrays: { tags: { add: [4], remove: [] } } }, never);
    expect(new Set(record().tags)).toEqual(new Set([...expected, 4]));
    expect(states.filter((tags) => !tags.includes(9))).toEqual([]);
  });

  it.each([1, 2, 3, 4])(
    "loses nobody's ids where a tenant takes the object for the whole array and the process dies at its edit %i",
    async (last) => {
      const { server, record, line } = await ticket(wholeArray, [2, 9], last);
      await using _ = server;
      {
        await using killed = open(server.url);
        const thrown = await thrownBy(killed.service.update("ticket", 7, tagged, never));
        expect(thrown).toMatchObject({ code: "E_SERVICE_UNREACHABLE" });
      }
      line.last = Infinity;
      await using restarted = open(server.url);
      await restarted.service.update("ticket", 7, tagged, never);
      expect(new Set(record().tags)).toEqual(new Set([1, 9]));
    },
  );

  it.each<[string, (tags: number[]) => number[], number[]]>([
    ["leaves alone what another person puts in", (tags) => [...tags, 52], [9, 8, 52, 1]],
    // Nobody can tell it from an id that was there all the time, and to leave it out would take it out elsewhere.
    ["brings back what another person takes out", (tags) => tags.filter((id) => id !== 8), [9, 8, 1]],
  ])("%s between the look and the first action", async (_name, others, expected) => {
    let puts = 0;
    const { server, record } = await ticket(
      (value, current) => supported(value, puts++ === 0 ? others(current) : current),
      [2, 9, 8],
    );
    await using _ = server;
    await using opened = open(server.url);
    await opened.service.update("ticket", 7, tagged, never);
    expect(new Set(record().tags)).toEqual(new Set(expected));
    expect(sent(server.seen)).toHaveLength(3);
    expect(opened.log.filter(({ level }) => level === "warn")).toEqual([]);
    await opened.service.update("ticket", 7, { fields: {}, arrays: { tags: { add: [4], remove: [] } } }, never);
    expect(sent(server.seen).slice(3)).toEqual([["PUT", { tags: { action: "add", ids: [4] } }]]);
  });

  it.each<[string, ArrayChange, number[], number[], number[]]>([
    ["all others while we add", { add: [1], remove: [] }, [9], [9], [1]],
    ["all others while we remove", { add: [], remove: [2] }, [2, 9], [9], []],
    ["all others while we do both", { add: [1], remove: [2] }, [2, 9], [9], [1]],
    ["ours as soon as it is there", { add: [1], remove: [] }, [9, 8], [9, 1], [8, 1]],
  ])(
    "brings back nothing that a person takes out at the first action: %s",
    async (_name, change, tags, out, expected) => {
      let puts = 0;
      const { server, record } = await ticket((value, current) => {
        const changed = supported(value, current);
        return puts++ === 0 ? changed?.filter((id) => !out.includes(id)) : changed;
      }, tags);
      await using _ = server;
      await using opened = open(server.url);
      await opened.service.update("ticket", 7, { fields: {}, arrays: { tags: change } }, never);
      expect(record().tags).toEqual(expected);
      expect(opened.log.filter(({ level }) => level === "warn")).toEqual([]);
      await opened.service.update("ticket", 7, { fields: {}, arrays: { tags: { add: [4], remove: [] } } }, never);
      expect(record().tags).toEqual([...expected, 4]);
      for (const { body } of server.seen.filter(({ method }) => method === "PUT"))
        expect(body).toMatchObject({ tags: { action: expect.any(String) } });
    },
  );

  it("does not take an answer without the array for proof that the action is understood", async () => {
    let record = { id: 7, name: "A", tags: [2] };
    await using server = await standIn((request: Seen): Reply => {
      if (request.method === "GET") return { json: record };
      const { tags } = bodyOf(request);
      if (Array.isArray(tags)) record = { ...record, tags: tags.map(Number) };
      return { json: { id: 7, name: "A" } };
    });
    await using opened = open(server.url);
    await opened.service.update("ticket", 7, { fields: {}, arrays: { tags: { add: [], remove: [2] } } }, never);
    expect(record.tags).toEqual([]);
  });

  it("does not take an addition to nothing for proof that the action is understood", async () => {
    const { server, record } = await ticket(wholeArray, []);
    await using _ = server;
    await using opened = open(server.url);
    for (const id of [1, 3])
      await opened.service.update("ticket", 7, { fields: {}, arrays: { tags: { add: [id], remove: [] } } }, never);
    expect(record().tags).toEqual([1, 3]);
  });

  it("goes no further with an action that was not carried out, and tries it twice", async () => {
    const { server } = await ticket(ignored);
    await using _ = server;
    await using opened = open(server.url);
    await opened.service.update("ticket", 7, { ...tagged, fields: {} }, never);
    const trial = [["GET"], ["PUT", action("add", [9, 1])]];
    expect(sent(server.seen)).toEqual([...trial, ...trial, ["GET"], ["PUT", { tags: [9, 1] }]]);
  });

  it("does not take an addition of what is there already for proof that the action is understood", async () => {
    const { server, record } = await ticket(ignored);
    await using _ = server;
    await using opened = open(server.url);
    for (const id of [2, 1])
      await opened.service.update("ticket", 7, { fields: {}, arrays: { tags: { add: [id], remove: [] } } }, never);
    expect(record().tags).toEqual([2, 9, 1]);
  });

  it("reads, merges and writes the whole array where the dialect says so", async () => {
    const { server } = await ticket(supported);
    await using _ = server;
    await using opened = open(server.url, { dialect: { ...dialect, arrayUpdate: "merge" } });
    await opened.service.update("ticket", 7, tagged, never);
    expect(sent(server.seen)).toEqual([["GET"], ["PUT", { name: "B", tags: [9, 1] }]]);
  });

  it.each<[ServiceDialect["arrayUpdate"], Json]>([
    ["merge", ["vip", 9]],
    ["merge", "2,9"],
    ["object", [{ id: 1e30 }, 9]],
  ])(
    "writes no array whole (%s) that the service shows as %j: what is no id would be lost",
    async (arrayUpdate, tags) => {
      await using server = await standIn(() => ({ json: { id: 7, tags } }));
      await using opened = open(server.url, { dialect: { ...dialect, arrayUpdate } });
      const thrown = await thrownBy(opened.service.update("ticket", 7, tagged, never));
      expect(thrown).toMatchObject({ family: "retry", code: "E_SERVICE_ANSWER", details: { field: "tags" } });
      expect(server.seen.map(({ method }) => method)).toEqual(["GET"]);
    },
  );

  it("reports an id that the service does not take", async () => {
    const { server } = await ticket((value, current) => supported(value, current)?.filter((id) => id !== 1));
    await using _ = server;
    await using opened = open(server.url);
    const { dropped } = await opened.service.update("ticket", 7, tagged, never);
    expect(dropped).toEqual([{ field: "tags", sent: { add: [1], remove: [2] }, found: [9] }]);
  });
});

describe("reading and deleting one record", () => {
  it.each<[string, Reply]>([
    ["404", { status: 404 }],
    ["410", { status: 410 }],
    ["400", { status: 400 }],
    ["200 with nothing", { status: 200 }],
    ["200 with null", { text: "null" }],
    ["200 with an empty object", { json: {} }],
  ])("finds nothing in %s", async (_, reply) => {
    await using server = await standIn(() => reply);
    await using opened = open(server.url);
    expect(await opened.service.read("customer", 7, ["name"], never)).toBeUndefined();
  });

  it.each<[string, Reply, string]>([
    ["an id that is none", { text: '{"id":1e30,"name":"A"}' }, "an object with id, name"],
    ["the id 0 and nothing else", { json: { id: 0 } }, "an object with id"],
    ["no id", { json: { customer: { id: null, name: "A" } } }, "an object with customer"],
    ["another id", { json: { id: 8 } }, "8"],
    ["several records", { json: [{ id: 7 }, { id: 8 }] }, "an array of 2"],
  ])("does not take %s for a record that is not there", async (_, reply, found) => {
    await using server = await standIn(() => reply);
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.read("customer", 7, ["name"], never));
    expect(thrown).toMatchObject({ family: "retry", code: "E_SERVICE_ANSWER" });
    expect(String(thrown)).toContain(`customer 7 and answered with ${found}:`);
  });

  it("shows custom fields under the names that were asked for", async () => {
    await using server = await standIn(() => ({ json: { id: 7, customFields: [{ id: 12, value: "x" }] } }));
    await using opened = open(server.url);
    const record = await opened.service.read("customer", 7, ["customFields.12", "customFields.13"], never);
    expect(record).toEqual({ id: 7, customFields: [{ id: 12, value: "x" }], "customFields.12": "x" });
  });

  it.each<[string, Reply, Reply]>([
    ["204", { status: 204 }, {}],
    ["404", { status: 404 }, {}],
    ["400 of a record that is not there", { status: 400 }, { status: 404 }],
  ])("takes %s for deleted", async (_, removed, read) => {
    await using server = await standIn(({ method }) => (method === "DELETE" ? removed : read));
    await using opened = open(server.url);
    expect(await opened.service.remove("customer", 7, never)).toMatchObject({ status: removed.status });
  });

  it("is refused by 403, and by 400 of a record that is there", async () => {
    await using server = await standIn(({ method, path }) =>
      method === "DELETE" ? { status: path.endsWith("7") ? 403 : 400 } : { json: { id: 8 } },
    );
    await using opened = open(server.url);
    for (const id of [7, 8])
      expect(await thrownBy(opened.service.remove("customer", id, never))).toMatchObject({ code: "E_SERVICE_REFUSED" });
  });

  it("is refused without asking where the service never deletes, with what to do instead", async () => {
    await using server = await standIn(() => undefined);
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.remove("tag", 7, never));
    expect(thrown).toMatchObject({ family: "park", code: "E_SERVICE_REFUSED" });
    expect(String(thrown)).toContain("deactivated");
    expect(server.seen).toEqual([]);
  });
});

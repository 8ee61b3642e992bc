import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "#model";
import { dialect, never, open, standIn, thrownBy, type Reply, type Seen } from "./stand-in.ts";

const customers = [
  { id: 1, name: "Adler", customerId: "10001" },
  { id: 2, name: "Bauer", customerId: "10002" },
  { id: 3, name: "Bauer", customerId: "10002" },
  { id: 4, name: "Curie", customerId: "10004" },
];

interface Rules {
  /** What `guess` answers for one question; undefined: there is no such endpoint. */
  guess?: (data: JsonObject) => number | null;
  search?: (term: string) => JsonObject[];
  rows?: JsonObject[];
}

const dataOf = (question: JsonObject) => (isJsonObject(question["data"]) ? question["data"] : {});

/** A tenant with four customers, two of them with one number, and look-ups by a test's rules. */
function tenant(rules: Rules) {
  const rows = rules.rows ?? customers;
  return standIn(({ method, path, query, body }: Seen): Reply => {
    if (method === "POST") {
      const { guess } = rules;
      if (guess === undefined) return { status: 404 };
      const questions = Array.isArray(body) ? body.filter(isJsonObject) : [];
      return { json: questions.map((question) => ({ eid: question["eid"] ?? null, id: guess(dataOf(question)) })) };
    }
    const id = Number(path.split("/").at(-1));
    if (id > 0) return { json: rows.find((row) => row["id"] === id) ?? null };
    const term = query.get("search");
    const found = term === null || rules.search === undefined ? rows : rules.search(term);
    const offset = Number(query.get("offset"));
    return { json: { totalCount: found.length, customer: found.slice(offset, offset + Number(query.get("limit"))) } };
  });
}

const exact = (data: JsonObject) => customers.find(({ customerId }) => customerId === data["customerId"])?.id ?? null;
const nearly = (data: JsonObject) => exact(data) ?? 1;
const fullText = (term: string) => customers.filter(({ name, customerId }) => `${name} ${customerId}`.includes(term));
const guesses = (seen: readonly Seen[]) => seen.filter(({ path }) => path.endsWith("/guess"));

describe("finding by a natural key", () => {
  it("asks guess, many questions in one request, once it was seen to work", async () => {
    await using server = await tenant({ guess: exact });
    await using opened = open(server.url, { dialect: { ...dialect, search: false } });
    const keys = ["10001", "10004", "99999"];
    const found = await Promise.all(keys.map((customerId) => opened.service.find("customer", { customerId }, never)));
    expect(found).toEqual([[1], [4], []]);
    expect(guesses(server.seen).map(({ body }) => (Array.isArray(body) ? body.length : 0))).toEqual([1, 3]);
  });

  it("lists all records that have the key, although guess names one", async () => {
    await using server = await tenant({ guess: exact, search: fullText });
    await using opened = open(server.url);
    expect(await opened.service.find("customer", { customerId: "10002" }, never)).toEqual([2, 3]);
  });

  it("does not believe a guess that misses a record which is there", async () => {
    await using server = await tenant({ guess: () => null, search: fullText });
    await using opened = open(server.url);
    expect(await opened.service.find("customer", { customerId: "10004" }, never)).toEqual([4]);
    await opened.service.find("customer", { customerId: "10001" }, never);
    expect(guesses(server.seen)).toHaveLength(1);
  });

  it("compares what guess names: a near miss is no hit", async () => {
    await using server = await tenant({ guess: nearly, search: fullText });
    await using opened = open(server.url);
    expect(await opened.service.find("customer", { customerId: "1000" }, never)).toEqual([]);
  });

  it("searches where there is no guess, and compares exactly", async () => {
    await using server = await tenant({ search: fullText });
    await using opened = open(server.url, { dialect: { ...dialect, guess: false } });
    expect(await opened.service.find("customer", { customerId: "1000" }, never)).toEqual([]);
    expect(await opened.service.find("customer", { customerId: "10004" }, never)).toEqual([4]);
    expect(server.seen.at(-1)?.query.get("search")).toBe("10004");
  });

  it("does not believe a search that is ignored or finds nothing, and reads the list", async () => {
    for (const search of [() => customers, () => []]) {
      await using server = await tenant({ search });
      await using opened = open(server.url, { dialect: { ...dialect, guess: false } });
      expect(await opened.service.find("customer", { customerId: "10004" }, never)).toEqual([4]);
      expect(await opened.service.find("customer", { customerId: "10002" }, never)).toEqual([2, 3]);
      expect(await opened.service.find("customer", { customerId: "5" }, never)).toEqual([]);
    }
  });

  it("narrows the reading by filters that fit the key, and checks every row", async () => {
    const rows = [
      { id: 1, customer: 7, email: "a@b.c" },
      { id: 2, customer: 8, email: "a@b.c" },
    ];
    await using server = await standIn(() => ({ json: { totalCount: 2, customerContact: rows } }));
    await using opened = open(server.url, { dialect: { ...dialect, guess: false, search: false } });
    expect(await opened.service.find("customerContact", { customer: 8, email: "a@b.c" }, never)).toEqual([2]);
    expect(server.seen[0]?.query.get("customer")).toBe("8");
  });

  it("refuses a key with an empty part: that names no record", async () => {
    await using server = await standIn(() => undefined);
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.find("customerContact", { customer: 8, email: "" }, never));
    expect(thrown).toMatchObject({ family: "park", code: "E_NOT_SEARCHABLE" });
    expect(server.seen).toEqual([]);
  });

  it("refuses where the list shows the field on no row, or may not be read", async () => {
    const rows = [{ id: 1 }, { id: 2 }];
    await using server = await standIn(({ path }) =>
      path.endsWith("protocol") ? { status: 403 } : { json: { totalCount: 2, customer: rows } },
    );
    await using opened = open(server.url, { dialect: { ...dialect, guess: false, search: false } });
    for (const [resource, key] of [
      ["customer", { customerId: "1" }],
      ["protocol", { name: "x" }],
      ["user", { password: "x" }],
    ] as const)
      expect(await thrownBy(opened.service.find(resource, key, never))).toMatchObject({ code: "E_NOT_SEARCHABLE" });
    expect(opened.service.canFind("user", ["password"])).toBe(false);
    expect(opened.service.canFind("customer", ["customerId"])).toBe(true);
  });
});

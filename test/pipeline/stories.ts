import * as fc from "fast-check";
import type { Change, Json, JsonObject } from "#model";

/** How a file may map departments, which refer to each other, and tickets, which refer to departments. */
const mappings = fc.record({
  name: fc.constantFrom<Json>("name", { expr: "$uppercase(name)" }, { from: "name", default: "nobody" }),
  boss: fc.constantFrom<Json>({ ref: "departments", key: "boss" }, { ref: "departments", key: "boss", optional: true }),
  level: fc.constantFrom<Record<string, Json>>(
    { from: "level" },
    { from: "level", map: { a: "A", b: "B" } },
    { const: "C" },
  ),
  own: fc.constantFrom("create", "always", "empty"),
  create: fc.constantFrom("always", "always", "never"),
  when: fc.option(fc.constant("level != 'b'"), { nil: undefined }),
  deleted: fc.constantFrom<Json>(
    { when: "gone", delete: true },
    { when: "gone", set: { name: "gone" } },
    { when: "gone", ignore: true },
  ),
  text: fc.constantFrom<Json>("text", { expr: "text & '!'" }),
  optional: fc.boolean(),
  priority: fc.constantFrom<Json>(
    { lookup: "priority", by: "name", value: { const: "High" } },
    { lookup: "priority", by: "name", value: { from: "rank", map: { x: "Low", y: "Normal" }, default: "Unheard of" } },
  ),
  tags: fc.constantFrom<Json>(
    { tags: "tags", resource: "tag", by: "name", separator: "," },
    { tags: { const: ["VIP"] }, resource: "tag", by: "name" },
  ),
});

export type Mapping = typeof mappings extends fc.Arbitrary<infer T> ? T : never;

export function fileOf({
  name,
  boss,
  level,
  own,
  create,
  when,
  deleted,
  text,
  optional,
  priority,
  tags,
}: Mapping): string {
  const read = { table: "t", key: "k" };
  const departments = {
    source: "erp",
    read,
    resource: "department",
    match: ["code"],
    create,
    fields: { code: "code", name, boss, level: { ...level, own } },
    ...(when === undefined ? {} : { when }),
    deleted,
  };
  const tickets = {
    source: "erp",
    read,
    resource: "ticket",
    fields: {
      description: text,
      ticketStatus: { lookup: "ticketStatus", by: "name", value: { const: "Open" } },
      priority,
      tags,
      department: { ref: "departments", key: "department", ...(optional ? { optional: true } : {}) },
    },
    deleted: { when: "gone", delete: true },
  };
  return JSON.stringify({
    sources: { erp: { adapter: "sql", url: "sqlite:erp.db" } },
    streams: { departments, tickets },
  });
}

const keys = ["1", "2", "3", "4", "5"];
const key = fc.constantFrom(...keys);
const department = fc.record({
  name: fc.constantFrom("Ann", "Bob", ""),
  level: fc.constantFrom("a", "b", "c"),
  boss: fc.option(key),
  gone: fc.boolean(),
});
const ticket = fc.record({
  text: fc.constantFrom("leaks", "rattles"),
  rank: fc.constantFrom("x", "y", "z"),
  tags: fc.constantFrom("VIP", "VIP,Montage", "", "Unheard of"),
  department: fc.option(key),
  gone: fc.boolean(),
});

const rows = <T>(row: fc.Arbitrary<T>) => fc.dictionary(key, fc.option(row), { noNullPrototype: true });

export const stories = fc.record({
  before: mappings,
  after: mappings,
  isEdited: fc.boolean(),
  first: fc.record({ departments: rows(department), tickets: rows(ticket) }),
  later: fc.record({ departments: rows(department), tickets: rows(ticket) }),
  known: fc.subarray(keys),
});

export type Tables = { readonly departments: Table; readonly tickets: Table };
type Table = Readonly<Record<string, JsonObject | null>>;

/**
 * Without references to departments that the ERP deletes: whether such a reference is written before or after the deletion is a
 * race, and so is what becomes of both.
 */
export function withoutRaces(tables: Tables, gone: ReadonlySet<Json>): Tables {
  const without = (table: Table, field: string): Table =>
    Object.fromEntries(
      Object.entries(table).map(([at, row]) => [
        at,
        row && { ...row, [field]: gone.has(row[field] ?? null) ? null : row[field]! },
      ]),
    );
  return { departments: without(tables.departments, "boss"), tickets: without(tables.tickets, "department") };
}

export function goneIn(...stories: readonly Tables[]): Set<Json> {
  const gone = stories.flatMap(({ departments }) =>
    Object.entries(departments).filter(([, row]) => row === null || row["gone"] === true),
  );
  return new Set(gone.map(([at]) => at));
}

/** Null: the ERP deleted it. The code is the key, so that no two records have one. */
export function changesOf(table: Table): Change[] {
  return Object.entries(table).map(([at, row]) =>
    row === null ? { kind: "delete", key: at } : { kind: "upsert", key: at, row: { ...row, code: `D-${at}` } },
  );
}

import { z } from "zod";
import type { Json } from "#model";
import type { PresetRead } from "../schema.ts";
import { stamped, type RestShape, type RestShapes } from "../shape.ts";
import { requestAddress } from "../template.ts";
import { encodeStamp, isOwn404, rowAt, rowsAt, type Wall } from "../wire.ts";
import { byKeyset, conditionOf, rangeEnds } from "./preset-shape.ts";

const criterion = z.strictObject({ key: z.string(), op: z.string(), value: z.union([z.string(), z.number()]) });
type Criterion = z.infer<typeof criterion>;

/** The most rows per page that the API allows for customers. Documents may have 1000. */
const PAGE_SIZE = 100;

/** Xentral's API v3: criteria are indexed parameters. It cannot compare ids, so pages within a second are counted off. */
export function xentral(read: PresetRead): RestShapes {
  const where = conditionOf(read, z.array(criterion).default([]), "a list of { key, op, value }");
  const { table, include } = read;
  const changed = read.changed === undefined ? "updatedAt" : read.changed;
  const pageSize = read.size ?? PAGE_SIZE;
  const keyFields = read.key ?? ["id"];
  const included = include === undefined ? {} : { include: include.join(",") };
  const list = (criteria: readonly Criterion[], more: Readonly<Record<string, string | number>>) => ({
    url: requestAddress(`api/v3/${table}`, { ...indexed([...where, ...criteria]), ...included, ...more }),
    headers: { "x-pagination": "simple" },
  });
  return {
    tracks: [
      {
        name: table,
        keyFields,
        ...stamped(changed, { zone: "UTC", precision: "second", format: "iso" }),
        ...byKeyset,
        keyset: false,
        pageSize,
        request: (query) =>
          list(rangeEnds(query, changed, bound), {
            sort: query.order === "stamp" ? changed! : "id",
            perPage: pageSize,
            page: Number(query.page ?? 1),
          }),
        rows: (answer) => rowsAt(answer, "data"),
        next: ({ query, full }) => (full ? Number(query.page ?? 1) + 1 : undefined),
        ...(keyFields.join() === "id"
          ? {
              // Read from the list, because a record's own address takes no filters.
              one: (key: string) => ({
                ...list([{ key: "id", op: "equals", value: key }], { perPage: 1 }),
                absent: isOwn404,
              }),
              oneRow: (answer: Json) => rowAt(answer, "data"),
              isListed: true as const,
            }
          : {}),
        ...tidyOf(read, [...keyFields, ...(changed === null ? [] : [changed])]),
      },
    ],
  };
}

/** The API gives whole records; `fields` keeps those members that are mapped, so that other changes go unnoticed. */
function tidyOf({ fields, each }: PresetRead, needed: readonly string[]): Pick<RestShape, "tidy"> {
  if (fields === undefined) return {};
  const kept = new Set(
    [...needed, ...fields, ...(each === undefined ? [] : [each.in])].map((path) => path.split(".", 1)[0]!),
  );
  return { tidy: (row) => Object.fromEntries(Object.entries(row).filter(([name]) => kept.has(name))) };
}

function bound(key: string, comparison: ">=" | "<", wall: Wall): Criterion {
  return { key, op: comparison === "<" ? "lessThan" : "greaterThanOrEquals", value: iso(wall) };
}

function indexed(criteria: readonly Criterion[]): Record<string, string | number> {
  return Object.fromEntries(
    criteria.flatMap(({ key, op, value }, n) => [
      [`filter[${n}][key]`, key],
      [`filter[${n}][op]`, op],
      [`filter[${n}][value]`, value],
    ]),
  );
}

function iso(wall: number): string {
  return encodeStamp(wall, "iso", "second");
}

import { z } from "zod";
import type { Json } from "#model";
import type { PresetRead } from "../schema.ts";
import { stamped, type RestShapes } from "../shape.ts";
import { addressOf } from "../template.ts";
import { encodeStamp, isOwn404, rowAt, rowsAt, type Wall } from "../wire.ts";
import { byKeyset, conditionOf, rangeEnds } from "./preset-shape.ts";

const criterion = z.strictObject({ key: z.string(), op: z.string(), value: z.union([z.string(), z.number()]) });
type Criterion = z.infer<typeof criterion>;

/** The most rows per page that the API allows for customers. Documents may have 1000. */
const PAGE_SIZE = 100;

/** Xentral's API v3: criteria are indexed parameters. It cannot filter by id, so pages within a second are counted off. */
export function xentral(read: PresetRead): RestShapes {
  const where = conditionOf(read, z.array(criterion).default([]), "a list of { key, op, value }");
  const changed = read.changed === undefined ? "updatedAt" : read.changed;
  const pageSize = read.size ?? PAGE_SIZE;
  const keyFields = read.key ?? ["id"];
  const path = `api/v3/${read.table}`;
  return {
    tracks: [
      {
        name: read.table,
        keyFields,
        ...stamped(changed, { zone: "UTC", precision: "second", format: "iso" }),
        ...byKeyset,
        keyset: false,
        pageSize,
        request: (query) => ({
          url: addressOf(path, {
            ...indexed([...where, ...rangeEnds(query, changed, bound)]),
            sort: query.order === "stamp" ? changed! : "id",
            perPage: pageSize,
            page: Number(query.page ?? 1),
          }),
          headers: { "x-pagination": "simple" },
        }),
        rows: (answer) => rowsAt(answer, "data"),
        next: ({ query, full }) => (full ? Number(query.page ?? 1) + 1 : undefined),
        // A record's own address takes no filters, and the list cannot be filtered by id.
        ...(keyFields.join() === "id" && where.length === 0
          ? {
              one: (key: string) => ({ url: `${path}/${encodeURIComponent(key)}`, absent: isOwn404 }),
              oneRow: (answer: Json) => rowAt(answer, "data"),
              isListed: true as const,
            }
          : {}),
      },
    ],
  };
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

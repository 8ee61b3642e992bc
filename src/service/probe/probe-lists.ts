import { isJsonObject, type Finding, type Json } from "#model";
import type { Dialect } from "#settings";
import type { Brand } from "../dialect/brand.ts";
import { found, unlessRefused, type Ask } from "./probe-finding.ts";
import { probePaging, probeSorting, type PageIds } from "./probe-paging.ts";
import { probeWrapper, type Sample } from "./probe-wrapper.ts";
import { pageIn } from "../reads/reading.ts";
import { idOf } from "../dialect/values.ts";

/** Wrapper, counting, paging and sorting, seen on the longest of the lists. */
export async function probeLists(
  ask: Ask,
  samples: readonly Sample[],
  dialect: Dialect,
  brand: Brand,
): Promise<Finding[]> {
  const longest = samples.toSorted((one, other) => other.total - one.total)[0];
  if (longest === undefined || longest.rowCount < 2)
    return [{ subject: "lists", verdict: "warning", message: "no resource with two records: lists were not probed" }];
  const { resource } = longest;
  const ids: PageIds = async (query) => {
    const exchange = await unlessRefused(ask(resource, { fields: "id", ...query }));
    return (pageIn(exchange?.body, resource, dialect, brand)?.rows ?? []).map((row) => idOf(row["id"])).join();
  };
  return [
    ...probeWrapper(samples, dialect),
    found("list count", dialect.totalKey ?? "none", countSeen(longest.body, dialect), "DIALECT_TOTAL_KEY"),
    await probePaging(ids, dialect),
    ...(await probeSorting(ids, dialect)),
  ];
}

function countSeen(body: Json | undefined, { totalKey }: Dialect): string | undefined {
  if (!isJsonObject(body)) return Array.isArray(body) ? "none" : undefined;
  if (totalKey !== undefined && typeof body[totalKey] === "number") return totalKey;
  return Object.keys(body).find((key) => /total/i.test(key) && typeof body[key] === "number") ?? "none";
}

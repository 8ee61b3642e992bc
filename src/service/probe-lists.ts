import { isJsonObject, type Finding, type Json, type ResourceName } from "#model";
import type { Dialect } from "#settings";
import type { Brand } from "./brand.ts";
import { found, unlessRefused, type Ask } from "./probe-finding.ts";
import { probePaging, probeSorting, type PageIds } from "./probe-paging.ts";
import { probeWrapper, type Sample } from "./probe-wrapper.ts";
import { pageIn } from "./reading.ts";
import { idOf } from "./values.ts";

/** Beyond what the reference allows. */
const LARGE = 100;
const PAGE_SIZE = 50;

/** Wrapper, counting, paging, sorting and page size, seen on the longest of the lists. */
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
    await largePages(ask, resource, dialect, brand),
  ];
}

function countSeen(body: Json | undefined, { totalKey }: Dialect): string | undefined {
  if (!isJsonObject(body)) return Array.isArray(body) ? "none" : undefined;
  if (totalKey !== undefined && typeof body[totalKey] === "number") return totalKey;
  return Object.keys(body).find((key) => /total/i.test(key) && typeof body[key] === "number") ?? "none";
}

async function largePages(ask: Ask, resource: ResourceName, dialect: Dialect, brand: Brand): Promise<Finding> {
  const subject = "page size";
  const ordinary = `${dialect.pageSize} per page are asked for`;
  const exchange = await unlessRefused(ask(resource, { fields: "id", limit: String(LARGE) }));
  if (exchange === undefined) return { subject, verdict: "ok", message: `a limit of ${LARGE} is refused; ${ordinary}` };
  const page = pageIn(exchange.body, resource, dialect, brand);
  const rowCount = page?.rows.length ?? 0;
  const echo = page?.limit === undefined ? "" : ` and says limit ${page.limit}`;
  if (rowCount > 0 && rowCount < PAGE_SIZE)
    return {
      subject,
      verdict: "ok",
      message: `no list is longer than ${PAGE_SIZE}: a larger limit was not seen; ${ordinary}`,
    };
  return { subject, verdict: "ok", message: `a limit of ${LARGE} gives ${rowCount} rows${echo}; ${ordinary}` };
}

import { isJsonObject, type Finding, type Json, type ResourceName } from "#model";
import type { Dialect } from "#settings";
import type { Brand } from "./brand.ts";
import { found, type Ask } from "./probe-finding.ts";
import { pageIn } from "./reading.ts";
import { idOf } from "./values.ts";

/** Beyond what the reference allows. */
const LARGE = 100;
const PAGE_SIZE = 50;

/** Wrapper, counting, paging, sorting and page size, seen on one resource that has at least two records. */
export async function probeLists(
  ask: Ask,
  resource: ResourceName | undefined,
  dialect: Dialect,
  brand: Brand,
): Promise<Finding[]> {
  if (resource === undefined)
    return [{ subject: "lists", verdict: "warning", message: "no resource with two records: lists were not probed" }];
  const ids = async (query: Record<string, string>): Promise<string> => {
    const { body } = await ask(resource, { fields: "id", ...query });
    return (pageIn(body, resource, dialect, brand)?.rows ?? []).map((row) => idOf(row["id"])).join();
  };
  const { body } = await ask(resource, { fields: "id", limit: "2" });
  return [
    found("list wrapper", wrapperText(dialect), wrapperSeen(body, dialect, resource), "DIALECT_LIST_WRAPPER"),
    found("list count", dialect.totalKey ?? "none", countSeen(body, dialect), "DIALECT_TOTAL_KEY"),
    found("paging", pagingText(dialect), await pagingSeen(ids, dialect), "DIALECT_PAGING"),
    ...(await sortingSeen(ids, dialect)),
    await largePages(ask, resource, dialect, brand),
  ];
}

function wrapperText({ listWrapper }: Dialect): string {
  return typeof listWrapper === "string" ? listWrapper : `key:${listWrapper.key}`;
}

function wrapperSeen(body: Json | undefined, { listKeys }: Dialect, resource: ResourceName): string | undefined {
  if (Array.isArray(body)) return "array";
  if (!isJsonObject(body)) return undefined;
  const keys = Object.keys(body).filter((key) => Array.isArray(body[key]));
  if (keys.includes(listKeys[resource] ?? resource)) return "resource";
  return keys.length === 1 ? `key:${keys[0]}` : undefined;
}

function countSeen(body: Json | undefined, { totalKey }: Dialect): string | undefined {
  if (!isJsonObject(body)) return Array.isArray(body) ? "none" : undefined;
  if (totalKey !== undefined && typeof body[totalKey] === "number") return totalKey;
  return Object.keys(body).find((key) => /total/i.test(key) && typeof body[key] === "number") ?? "none";
}

function pagingText({ paging }: Dialect): string {
  if (paging.kind === "none") return "none";
  return paging.kind === "offset" ? `offset:${paging.parameter}` : `page:${paging.parameter}:${paging.first}`;
}

/** Two pages of one record each must differ: tried as configured first, then in the other known ways. */
async function pagingSeen(
  ids: (query: Record<string, string>) => Promise<string>,
  { paging }: Dialect,
): Promise<string> {
  const differ = async (parameter: string, first: number) => {
    const [one, two] = [
      await ids({ limit: "1", [parameter]: String(first) }),
      await ids({ limit: "1", [parameter]: String(first + 1) }),
    ];
    return one !== two && !one.includes(",") && one !== "" && two !== "";
  };
  const offset = paging.kind === "offset" ? paging.parameter : "offset";
  const page = paging.kind === "page" ? paging.parameter : "page";
  if (paging.kind === "page" && (await differ(page, paging.first))) return `page:${page}:${await firstPage(ids, page)}`;
  if (await differ(offset, 0)) return `offset:${offset}`;
  if (await differ(page, 1)) return `page:${page}:${await firstPage(ids, page)}`;
  return "none";
}

/** Counted from 1, page 0 is refused, empty, or the first page once more. */
async function firstPage(ids: (query: Record<string, string>) => Promise<string>, page: string): Promise<0 | 1> {
  const zero = await ids({ limit: "1", [page]: "0" }).catch(() => "");
  return zero === "" || zero === (await ids({ limit: "1", [page]: "1" })) ? 1 : 0;
}

async function sortingSeen(
  ids: (query: Record<string, string>) => Promise<string>,
  { sort }: Dialect,
): Promise<Finding[]> {
  if (sort === undefined) return [];
  const ascending = await ids({ limit: "1", [sort.parameter]: sort.value });
  const descending = await ids({ limit: "1", [sort.parameter]: sort.value.replace(/\basc\b/, "desc") });
  const configured = `${sort.parameter}=${sort.value}`;
  return [found("sorting", configured, ascending === descending ? "none" : configured, "DIALECT_SORT")];
}

async function largePages(ask: Ask, resource: ResourceName, dialect: Dialect, brand: Brand): Promise<Finding> {
  const subject = "page size";
  const { body } = await ask(resource, { fields: "id", limit: String(LARGE) });
  const page = pageIn(body, resource, dialect, brand);
  const rowCount = page?.rows.length ?? 0;
  const ordinary = `${dialect.pageSize} per page are asked for`;
  if (rowCount > PAGE_SIZE)
    return { subject, verdict: "ok", message: `a limit of ${LARGE} gave ${rowCount} rows; ${ordinary}` };
  if (rowCount === 0)
    return { subject, verdict: "ok", message: `a limit of ${LARGE} gave no rows and no error; ${ordinary}` };
  const echo = page?.limit === undefined ? "" : ` (the answer says limit ${page.limit})`;
  return { subject, verdict: "ok", message: `a limit of ${LARGE} gave ${rowCount} rows${echo}; ${ordinary}` };
}

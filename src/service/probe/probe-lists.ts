import { isJsonObject, type Finding, type Json, type ResourceName } from "#model";
import type { ServiceDialect } from "#settings";
import type { Brand } from "../dialect/brand.ts";
import { serviceIdOf } from "../dialect/values.ts";
import { pageIn } from "../reads/reading.ts";
import { found, unlessRefused, withPair, type ProbeRequests } from "./probe-finding.ts";

/** Probes wrapper, counting, paging and sorting on the longest of the lists. */
export async function probeLists(
  ask: ProbeRequests,
  samples: readonly Sample[],
  dialect: ServiceDialect,
  brand: Brand,
): Promise<Finding[]> {
  const longest = samples.toSorted((one, other) => other.total - one.total)[0];
  if (longest === undefined || longest.rowCount < 2)
    return [{ subject: "lists", verdict: "warning", message: "no resource with two records: lists were not probed" }];
  const { resource } = longest;
  const ids: PageIds = async (query) => {
    const exchange = await unlessRefused(ask(resource, { fields: "id", ...query }));
    return (pageIn(exchange?.body, resource, dialect, brand)?.rows ?? []).map((row) => serviceIdOf(row["id"])).join();
  };
  return [
    ...probeWrapper(samples, dialect),
    found("list count", dialect.totalKey ?? "none", countSeen(longest.body, dialect), "DIALECT_TOTAL_KEY"),
    await probePaging(ids, dialect),
    ...(await probeSorting(ids, dialect)),
  ];
}

function countSeen(body: Json | undefined, { totalKey }: ServiceDialect): string | undefined {
  if (!isJsonObject(body)) return Array.isArray(body) ? "none" : undefined;
  if (totalKey !== undefined && typeof body[totalKey] === "number") return totalKey;
  return Object.keys(body).find((key) => /total/i.test(key) && typeof body[key] === "number") ?? "none";
}

/** The first rows of one resource's list. */
export interface Sample {
  readonly resource: ResourceName;
  readonly body: Json | undefined;
  readonly rowCount: number;
  /** How many records it has in all, where that can be told. */
  readonly total: number;
  /** The id of its first record. */
  readonly id: number | undefined;
}

/** Finds where the rows are: the wrapper that most resources use is the setting, the others need keys of their own. */
function probeWrapper(samples: readonly Sample[], dialect: ServiceDialect): Finding[] {
  const seen = samples.flatMap(({ resource, body }) => {
    const wrapper = wrapperSeen(body, dialect, resource);
    return wrapper === undefined ? [] : [{ resource, wrapper }];
  });
  const common = mostCommon(seen.map(({ wrapper }) => wrapper));
  const { listWrapper, listKeys } = dialect;
  const configured = typeof listWrapper === "string" ? listWrapper : `key:${listWrapper.key}`;
  const findings = [found("list wrapper", configured, common, "DIALECT_LIST_WRAPPER", "no list with rows")];
  for (const { resource, wrapper } of seen) {
    const key = wrapper.startsWith("key:") ? wrapper.slice("key:".length) : undefined;
    if (wrapper === common || key === undefined) continue;
    const subject = `list wrapper of ${resource}`;
    const remedy = withPair("DIALECT_LIST_KEYS", listKeys, resource, key);
    findings.push({ subject, verdict: "problem", message: `found ${wrapper}, unlike the others`, remedy });
  }
  return findings;
}

function wrapperSeen(body: Json | undefined, { listKeys }: ServiceDialect, resource: ResourceName): string | undefined {
  if (Array.isArray(body)) return "array";
  if (!isJsonObject(body)) return undefined;
  const keys = Object.keys(body).filter((key) => Array.isArray(body[key]));
  if (keys.includes(listKeys[resource] ?? resource)) return "resource";
  return keys.length === 1 ? `key:${keys[0]}` : undefined;
}

function mostCommon(words: readonly string[]): string | undefined {
  const count = (word: string) => words.filter((other) => other === word).length;
  return words.toSorted((one, other) => count(other) - count(one))[0];
}

/** The ids of a page as one text; empty where the tenant refuses the query or has no rows for it. */
type PageIds = (query: Record<string, string>) => Promise<string>;

/** Parameter names that APIs commonly use for paging by offset and by page number. */
const OFFSETS = ["offset", "start", "skip", "from"];
const PAGES = ["page", "p", "pageNumber", "pageIndex"];

/** Two pages of one record each must differ. Tries the configured paging first, then the other known ways. */
async function probePaging(ids: PageIds, { paging }: ServiceDialect): Promise<Finding> {
  const configured =
    paging.kind === "none"
      ? "none"
      : paging.kind === "offset"
        ? `offset:${paging.parameter}`
        : `page:${paging.parameter}:${paging.first}`;
  // A server that ignores the limit returns the whole list.
  if ((await ids({ limit: "1" })).includes(",")) return found("paging", configured, "none", "DIALECT_PAGING");
  const seen = await wayOf(ids, paging);
  if (seen !== undefined) return found("paging", configured, seen, "DIALECT_PAGING");
  const tried = [...OFFSETS, ...PAGES].join(", ");
  return {
    subject: "paging",
    verdict: "problem",
    message: `configured ${configured}; none of ${tried} leads to a second page`,
    remedy: "ask the vendor which parameter pages lists; until then lists that do not fit one page are refused",
  };
}

async function wayOf(ids: PageIds, paging: ServiceDialect["paging"]): Promise<string | undefined> {
  const differ = async (parameter: string, first: number) => {
    const one = await ids({ limit: "1", [parameter]: String(first) });
    const two = one === "" ? "" : await ids({ limit: "1", [parameter]: String(first + 1) });
    return two !== "" && one !== two;
  };
  const byPage = async (parameter: string) => `page:${parameter}:${await firstPage(ids, parameter)}`;
  if (paging.kind === "page" && (await differ(paging.parameter, paging.first))) return byPage(paging.parameter);
  const offsets = paging.kind === "offset" ? [paging.parameter, ...OFFSETS] : OFFSETS;
  for (const parameter of new Set(offsets)) if (await differ(parameter, 0)) return `offset:${parameter}`;
  for (const parameter of PAGES) if (await differ(parameter, 1)) return byPage(parameter);
  return undefined;
}

/** With pages counted from 1, page 0 is refused, empty, or equal to the first page. */
async function firstPage(ids: PageIds, page: string): Promise<0 | 1> {
  const zero = await ids({ limit: "1", [page]: "0" });
  return zero === "" || zero === (await ids({ limit: "1", [page]: "1" })) ? 1 : 0;
}

async function probeSorting(ids: PageIds, { sort }: ServiceDialect): Promise<Finding[]> {
  if (sort === undefined) return [];
  const ascending = await ids({ limit: "1", [sort.parameter]: sort.value });
  const descending = await ids({ limit: "1", [sort.parameter]: sort.value.replace(/\basc\b/, "desc") });
  const configured = `${sort.parameter}=${sort.value}`;
  return [found("sorting", configured, ascending === descending ? "none" : configured, "DIALECT_SORT")];
}

import type { Finding } from "#model";
import type { Dialect } from "#settings";
import { found } from "./probe-finding.ts";

/** The ids of a page as one text; empty where the tenant refuses the query or has no rows for it. */
export type PageIds = (query: Record<string, string>) => Promise<string>;

/** Names that APIs commonly give the two ways of paging. */
const OFFSETS = ["offset", "start", "skip", "from"];
const PAGES = ["page", "p", "pageNumber", "pageIndex"];

/** Two pages of one record each must differ: tried as configured first, then in the other known ways. */
export async function probePaging(ids: PageIds, { paging }: Dialect): Promise<Finding> {
  const configured =
    paging.kind === "none"
      ? "none"
      : paging.kind === "offset"
        ? `offset:${paging.parameter}`
        : `page:${paging.parameter}:${paging.first}`;
  // A list that does not care how much is asked for comes whole.
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

async function wayOf(ids: PageIds, paging: Dialect["paging"]): Promise<string | undefined> {
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

/** Counted from 1, page 0 is refused, empty, or the first page once more. */
async function firstPage(ids: PageIds, page: string): Promise<0 | 1> {
  const zero = await ids({ limit: "1", [page]: "0" });
  return zero === "" || zero === (await ids({ limit: "1", [page]: "1" })) ? 1 : 0;
}

export async function probeSorting(ids: PageIds, { sort }: Dialect): Promise<Finding[]> {
  if (sort === undefined) return [];
  const ascending = await ids({ limit: "1", [sort.parameter]: sort.value });
  const descending = await ids({ limit: "1", [sort.parameter]: sort.value.replace(/\basc\b/, "desc") });
  const configured = `${sort.parameter}=${sort.value}`;
  return [found("sorting", configured, ascending === descending ? "none" : configured, "DIALECT_SORT")];
}

import type { Switches } from "../switches.ts";
import { Refusal } from "./answer.ts";

const DEFAULT_LIMIT = 10;
const MAXIMUM_LIMIT = 50;

/** Which rows of a list are wanted. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
  /** Members of the wrapper that tell the position. */
  readonly echo: string;
}

export function readPage(query: URLSearchParams | undefined, { paging }: Switches): Page {
  if (paging.kind === "none") return { offset: 0, limit: Infinity, echo: "" };
  // 0 asks for no rows at all, only for the count.
  const limit = Math.min(count(query, "limit") ?? DEFAULT_LIMIT, MAXIMUM_LIMIT);
  if (paging.kind === "page") {
    const page = count(query, paging.parameter) ?? paging.first;
    if (page < paging.first) throw new Refusal(400, `${paging.parameter} must be ${paging.first} or more`);
    const echo = `${JSON.stringify(paging.parameter)}:${page},"limit":${limit},`;
    return { offset: (page - paging.first) * limit, limit, echo };
  }
  const offset = paging.kind === "offset" ? (count(query, paging.parameter) ?? 0) : 0;
  return { offset, limit, echo: `"offset":${offset},"limit":${limit},` };
}

function count(query: URLSearchParams | undefined, name: string): number | undefined {
  const text = query?.get(name);
  if (text === undefined || text === null || text === "") return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Refusal(400, `${name} must be a whole number`);
  return Number(text);
}

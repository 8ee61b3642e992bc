import { ParkError, type Json } from "#model";
import { jsonText, valueAt } from "../wire/stamps/values.ts";
import type { ListRead } from "./schema.ts";
import type { RestPage } from "./shape.ts";

/** Pages that are counted off, or whose successor the server names. */
export interface CountedPages {
  /** Returns what to add to a request for the page `page`, or for the first page if it is undefined. */
  parameters(page: Json | undefined): Record<string, string | number>;
  next(page: RestPage): Json | undefined;
}

export function countedPages(paging: ListRead["paging"]): CountedPages {
  const { kind, parameter = "", first, sizeParameter, size, next } = paging;
  const sized: Record<string, number> = sizeParameter === undefined || kind === "none" ? {} : { [sizeParameter]: size };
  switch (kind) {
    case "none":
      return { parameters: () => ({}), next: () => undefined };
    case "page":
      return {
        parameters: (page) => ({ [parameter]: Number(page ?? first), ...sized }),
        next: ({ query, full }) => (full ? Number(query.page ?? first) + 1 : undefined),
      };
    case "offset":
      return {
        parameters: (page) => ({ [parameter]: Number(page ?? 0), ...sized }),
        next: ({ query, rows, full }) => (full ? Number(query.page ?? 0) + rows.length : undefined),
      };
    case "cursor":
      return {
        parameters: (page) => (page === undefined ? sized : { [parameter]: jsonText(page), ...sized }),
        next: (page) => token(page, valueAt(page.json, next ?? "next")),
      };
    case "link":
      return {
        parameters: () => sized,
        next: (page) => token(page, next === undefined ? linkHeader(page) : absolute(page, valueAt(page.json, next))),
      };
  }
}

/** Returns the next page's token. Refuses the token of the current page, because such a list would be read forever. */
function token(page: RestPage, found: Json | undefined): Json | undefined {
  if (found === undefined || found === null || found === "" || found === false) return undefined;
  if (found === page.query.page)
    throw new ParkError("E_SOURCE_PAGING", "the ERP names the page that was just read as the next one");
  return found;
}

function linkHeader({ answer }: RestPage): string | undefined {
  const header = answer.headers.link;
  const text = Array.isArray(header) ? header.join(",") : header;
  const url = /<([^<>]*)>\s*;[^,<]*\brel="?next"?/i.exec(text ?? "")?.[1];
  return url === undefined ? undefined : resolved(answer.place, url);
}

function absolute({ answer }: RestPage, link: Json | undefined): Json | undefined {
  return typeof link === "string" && link !== "" ? resolved(answer.place, link) : undefined;
}

/**
 * Returns a link as an absolute address. A link may be relative to the requested address; `place` is the request's method and
 * address.
 */
function resolved(place: string, link: string): string {
  return new URL(link, place.slice(place.indexOf(" ") + 1)).href;
}

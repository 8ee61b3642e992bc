import { ParkError, type Json } from "#model";
import { jsonText, valueAt } from "../wire/stamps/values.ts";
import type { ListRead } from "./schema.ts";
import type { RestPage } from "./shape.ts";

/** Pages that are counted off or handed on by the server. */
export interface CountedPages {
  /** What is added to a request to get the page that `page` names; the first where it is undefined. */
  parameters(page: Json | undefined): Record<string, string | number>;
  next(page: RestPage): Json | undefined;
}

export function counted(paging: ListRead["paging"]): CountedPages {
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

/** A server that answers each page with its own token would be read forever. */
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

/** Links may be relative to the address that was asked; `place` is its method and address. */
function resolved(place: string, link: string): string {
  return new URL(link, place.slice(place.indexOf(" ") + 1)).href;
}

import type { JsonObject } from "#model";
import type { Asked, Told } from "../../kit/http.ts";
import { foundRows, queryOf, shown, type EntitySet } from "./server/entity-set.ts";
import { metadata } from "./server/metadata.ts";

export interface ServiceManners {
  readonly version: "v2" | "v4";
  /** Entities of the set, with stamps as comparable text; the same array as long as nothing changed. */
  rows(): readonly JsonObject[];
  readonly keys: readonly string[];
  /** Types of the properties. */
  readonly types: Readonly<Record<string, string>>;
  /** Turns a row into what goes over the wire. */
  readonly wire?: (row: JsonObject) => JsonObject;
  /** Pages are this part of what is asked for, in silence. */
  readonly cap?: number;
  readonly linkTo?: (path: string) => string;
  readonly refuseMixedOr?: boolean;
  readonly quotedTimes?: boolean;
  readonly deaf?: () => boolean;
}

const OPTIONS = ["$filter", "$orderby", "$select", "$expand", "$skip", "$top", "$format", "$skiptoken"];

/** An OData service written from the standard: its entity sets by name. The products' own manners are in `server/`. */
export function odataService(sets: Readonly<Record<string, ServiceManners>>, { path, query, headers }: Asked): Told {
  if (path.endsWith("/$metadata")) {
    const described = Object.entries(sets).map(([name, manners]) => setOf(name, manners));
    return { body: metadata("NAV", described, "v4"), headers: { "content-type": "application/xml" } };
  }
  const name = path.slice(path.lastIndexOf("/") + 1);
  const manners = sets[name];
  if (manners === undefined) return { status: 404, body: { error: { code: "NotFound", message: `no ${path}` } } };
  try {
    return listed(name, manners, path, query, String(headers["prefer"] ?? ""));
  } catch (thrown) {
    return { status: 400, body: { error: { code: "BadRequest", message: { lang: "en", value: String(thrown) } } } };
  }
}

function setOf(name: string, manners: ServiceManners): EntitySet {
  const { keys, types } = manners;
  return { name, type: `${name}Row`, keys, types, rows: () => manners.rows() };
}

function listed(name: string, manners: ServiceManners, path: string, asked: URLSearchParams, prefer: string): Told {
  const set = setOf(name, manners);
  const query = queryOf(set, asked, OPTIONS);
  const found = foundRows(set, manners.deaf?.() ? { ...query, filter: undefined } : query, manners);
  const skip = Number(asked.get("$skiptoken") ?? query.skip);
  const top = query.top ?? Number.POSITIVE_INFINITY;
  const preferred = Number(/maxpagesize=(\d+)/.exec(prefer)?.[1] ?? Number.POSITIVE_INFINITY);
  const size = Math.ceil(Math.min(top, preferred) * (manners.cap ?? 1));
  const rows = found.slice(skip, skip + size).map((row) => wired(set, manners, row, query));
  const more = rows.length < top && skip + rows.length < found.length;
  asked.set("$skiptoken", String(skip + rows.length));
  const link = `${name}?${asked.toString()}`;
  const next = more ? { link: manners.linkTo?.(link) ?? link } : undefined;
  if (manners.version === "v2") return { body: { d: { results: rows, ...(next && { __next: next.link }) } } };
  return {
    body: {
      "@odata.context": `${path.slice(0, -name.length)}$metadata#${name}`,
      value: rows.map((row) => ({ "@odata.etag": 'W/"1"', ...row })),
      ...(next && { "@odata.nextLink": next.link }),
    },
  };
}

function wired(
  set: EntitySet,
  { wire }: ServiceManners,
  row: JsonObject,
  query: ReturnType<typeof queryOf>,
): JsonObject {
  if (wire === undefined) return query.select === undefined ? row : shown(set, row, query);
  const made = wire(row);
  if (query.select === undefined) return made;
  const wanted = (name: string) => query.select!.includes(name) || !(name in set.types);
  return Object.fromEntries(Object.entries(made).filter(([name]) => wanted(name)));
}

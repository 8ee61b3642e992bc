import { isJsonObject, type JsonObject } from "#model";
import type { Asked, Told } from "../../kit/http.ts";
import { filterOf } from "./filter.ts";

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
  readonly deaf?: () => boolean;
}

/** An OData service written from the standard: its entity sets by name. */
export function odataService(sets: Readonly<Record<string, ServiceManners>>, { path, query, headers }: Asked): Told {
  if (path.endsWith("/$metadata")) return { body: metadata(sets), headers: { "content-type": "application/xml" } };
  const set = path.slice(path.lastIndexOf("/") + 1);
  const manners = sets[set];
  if (manners === undefined) return { status: 404, body: { error: { code: "NotFound", message: `no ${path}` } } };
  let found: readonly JsonObject[];
  try {
    found = foundRows(manners, query);
  } catch (thrown) {
    return { status: 400, body: { error: { code: "BadRequest", message: { lang: "en", value: String(thrown) } } } };
  }
  const skip = Number(query.get("$skip") ?? query.get("$skiptoken") ?? 0);
  const top = Number(query.get("$top") ?? Number.POSITIVE_INFINITY);
  const preferred = Number(/maxpagesize=(\d+)/.exec(String(headers["prefer"] ?? ""))?.[1] ?? Number.POSITIVE_INFINITY);
  const size = Math.ceil(Math.min(top, preferred) * (manners.cap ?? 1));
  const rows = found.slice(skip, skip + size).map((row) => selected(manners.wire?.(row) ?? row, query.get("$select")));
  const more = rows.length < top && skip + rows.length < found.length;
  query.set("$skiptoken", String(skip + rows.length));
  const link = `${set}?${query.toString()}`;
  const next = more ? { link: manners.linkTo?.(link) ?? link } : undefined;
  if (manners.version === "v2") return { body: { d: { results: rows, ...(next && { __next: next.link }) } } };
  return {
    body: {
      "@odata.context": `${path.slice(0, -set.length)}$metadata#${set}`,
      value: rows.map((row) => ({ "@odata.etag": 'W/"1"', ...row })),
      ...(next && { "@odata.nextLink": next.link }),
    },
  };
}

const lastFound = new WeakMap<readonly JsonObject[], { question: string; found: readonly JsonObject[] }>();

/** The rows of all pages. Pages of one question are cut from one answer: the suite's big table has many. */
function foundRows(manners: ServiceManners, query: URLSearchParams): readonly JsonObject[] {
  const rows = manners.rows();
  const filter = manners.deaf?.() ? null : query.get("$filter");
  const question = `${filter} ${query.get("$orderby")}`;
  const last = lastFound.get(rows);
  if (last?.question === question) return last.found;
  const found = rows.filter(filterOf(filter, manners.refuseMixedOr));
  sort(found, (query.get("$orderby") ?? "").split(",").filter(Boolean));
  lastFound.set(rows, { question, found });
  return found;
}

function sort(rows: JsonObject[], order: readonly string[]): void {
  rows.sort((a, b) => {
    for (const field of order) {
      const [left, right] = [a[field] ?? "", b[field] ?? ""];
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  });
}

function selected(row: JsonObject, select: string | null): JsonObject {
  if (select === null) return row;
  const names = select.split(",");
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => names.includes(name) || isJsonObject(value)));
}

function metadata(sets: Readonly<Record<string, ServiceManners>>): string {
  const named = Object.entries(sets);
  const types = named.map(([set, { keys, types }]) => {
    const properties = Object.entries(types).map(([name, type]) => `<Property Name="${name}" Type="Edm.${type}"/>`);
    const refs = keys.map((key) => `<PropertyRef Name="${key}"/>`);
    return `<EntityType Name="${set}Row"><Key>${refs.join("")}</Key>${properties.join("")}</EntityType>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>
<Schema Namespace="NAV" xmlns="http://docs.oasis-open.org/odata/ns/edm">${types.join("")}
<EntityContainer Name="Container">${named.map(([set]) => `<EntitySet Name="${set}" EntityType="NAV.${set}Row"/>`).join("")}</EntityContainer>
</Schema></edmx:DataServices></edmx:Edmx>`;
}

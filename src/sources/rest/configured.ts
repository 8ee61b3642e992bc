import { splitKey, StopError, type Json } from "#model";
import type { WebRequest } from "../wire/client/web-client.ts";
import { isEmpty404 } from "../wire/client/web-errors.ts";
import { errorIn } from "../wire/stamps/error-in.ts";
import { encodeStamp, PRECISIONS } from "../wire/stamps/stamp-format.ts";
import { lastKey, rowAt, rowsAt, valueAt } from "../wire/stamps/values.ts";
import type { Wall, WallRange } from "../wire/stamps/wall.ts";
import { assertKeysSorted } from "../wire/walk/assertions.ts";
import { countedPages } from "./paging.ts";
import type { ConfiguredRead, ListRead, RestSettings } from "./schema.ts";
import { stamped, type RestQuery, type RestShape } from "./shape.ts";
import { requestAddress, fillTemplate, fillJson, keyValues } from "./template.ts";

/** Values for an open bound that cannot be left out, in a body or beside the other bound: the years 1970 and 2200. */
const EARLIEST: Wall = 0;
const LATEST: Wall = Date.UTC(2200, 0) * 1000;

/** The shape that a stream's configuration describes. */
export function configuredShape(
  read: ListRead & Pick<Partial<ConfiguredRead>, "one">,
  settings: RestSettings,
): RestShape {
  const { one } = read;
  const keyset = read.after !== undefined;
  const pages = countedPages(read.paging);
  return {
    name: read.path,
    keyFields: read.key,
    ...stamped(read.changed ?? null, { ...zonesOf(read, settings), precision: read.precision, format: read.format }),
    sorted: read.orderByChanged !== undefined,
    bounded: Object.values(read.range ?? {}).some((value) => String(value).includes("{to}")),
    keyset,
    nulls: read.noStamp !== undefined,
    pageSize: read.paging.kind === "none" ? Number.POSITIVE_INFINITY : read.paging.size,
    request: (query) => requestOf(read, query, pages.parameters(keyset ? undefined : query.page)),
    rows: (answer) => (isNullList(answer, read.rows) ? [] : rowsAt(answer, read.rows)),
    next(page) {
      if (!keyset || page.query.order === "stamp") return pages.next(page);
      if (!page.full) return undefined;
      assertKeysSorted(read.path, page.rows, read.key[0]!, "set `orderByKey`, or leave `after` out");
      return lastKey(page.rows, read.key).map(String);
    },
    ...(one === undefined
      ? {}
      : {
          one: (key: string): WebRequest => ({
            url: fillTemplate(one.path, keyValues(splitKey(key).map(encodeURIComponent))),
            absent: (answer) => answer.status === 404 || answer.status === 410,
          }),
          oneRow: (answer: Json) => rowAt(answer, one.row),
        }),
  };
}

/**
 * Decides the zones of filters and answers. Filters that name instants get instants, whatever the source's zone. All others get
 * readings of its clock.
 * @throws {StopError} E_SOURCE_SETTINGS when the answers' readings cannot be compared with instants.
 */
function zonesOf({ path, format, filterFormat = format }: ListRead, settings: RestSettings) {
  const { timezone, databaseTimezone = timezone } = settings;
  if (isReading(filterFormat)) return { zone: databaseTimezone, answerZone: timezone };
  if (!isReading(format) || timezone === "UTC") return { zone: "UTC" };
  throw new StopError(
    "E_SOURCE_SETTINGS",
    `${path}: \`filterFormat: ${filterFormat}\` names instants, but \`format: ${format}\` has no zone: they go together in the timezone UTC alone`,
  );
}

function isReading(format: ListRead["format"]): boolean {
  return format === "local" || format === "date";
}

function requestOf(read: ListRead, query: RestQuery, paging: Readonly<Record<string, string | number>>): WebRequest {
  if (read.paging.kind === "link" && typeof query.page === "string") return linked(read, query.page);
  const after = read.after !== undefined && Array.isArray(query.page) ? query.page.map(String) : undefined;
  const values = { ...rangeValues(read, query.range), ...(after === undefined ? {} : keyValues(after)) };
  const templates = {
    ...read.parameters,
    ...(query.range === undefined ? {} : read.range),
    ...(query.nulls ? read.noStamp : {}),
    ...(query.order === "stamp" ? read.orderByChanged : read.orderByKey),
    ...(after === undefined ? {} : read.after),
  };
  const open = rangeValues(read, { from: EARLIEST, below: LATEST });
  const entries = Object.entries(templates).map(([name, value]) => [name, String(value)] as const);
  const bounded = entries
    .filter(([, value]) => !isOpen(value, values))
    .map(([name, value]) => [name, fillTemplate(value, { ...open, ...values })]);
  const request: WebRequest = {
    method: read.method,
    url: requestAddress(read.path, { ...Object.fromEntries(bounded), ...paging }),
    ...(read.emptyOn404 ? { absent: isEmpty404 } : {}),
  };
  if (read.body === undefined) return request;
  return { ...request, json: fillJson(read.body, { ...open, ...values, ...texts(paging) }) };
}

/** APIs written in Go return an empty list as null. Beside an error, null proves nothing. */
function isNullList(answer: Json, path: string): boolean {
  if (path === "" || valueAt(answer, path) !== null) return false;
  return errorIn(answer) === undefined;
}

/** Returns the range's bounds as template values; an open bound has no value. */
function rangeValues(read: ListRead, range: WallRange | undefined): Record<string, string> {
  const format = read.filterFormat ?? read.format;
  const unit = PRECISIONS[read.precision];
  const values: Record<string, string> = {};
  if (range?.from !== undefined)
    values["from"] = encodeStamp(range.from - (read.fromExclusive ? unit : 0), format, read.precision);
  if (range?.below !== undefined) values["to"] = encodeStamp(range.below, format, read.precision);
  return values;
}

/** Whether a template needs bounds of which the range has none: then its parameter is left out. */
function isOpen(template: string, values: Readonly<Record<string, string>>): boolean {
  const asked = ["from", "to"].filter((bound) => template.includes(`{${bound}}`));
  return asked.length > 0 && asked.every((bound) => values[bound] === undefined);
}

function linked(read: ListRead, url: string): WebRequest {
  return { method: read.method, url, ...(read.emptyOn404 ? { absent: isEmpty404 } : {}) };
}

function texts(values: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

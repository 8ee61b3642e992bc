import { isJsonObject, type Json, type JsonObject } from "#model";

const DATE = /^\/Date\((-?\d+)([+-]\d{4})?\)\/$/;
const TIME = /^PT(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?$/;
/** Members of the protocol. In 4.01 their prefix may be left out; annotations of a service have a dot in their names. */
const CONTROL = /(^|@)odata\.|@\w+$/;
/** The only form in which a text counts as a time of day where no type says that it is one. */
const WHOLE_TIME = /^PT\d\dH\d\dM\d\d(\.\d+)?S$/;

/**
 * Converts an entity to plain values and drops the protocol's own members: `/Date(…)/` becomes ISO text (with `Z` if it had an
 * offset), `PT13H45M00S` becomes 13:45:00, `{ results: […] }` becomes a list, and links that were not expanded are left out.
 * `types` are the types of its properties, because a text such as `PT100S` may mean a product.
 */
export function plainRow(row: JsonObject, types?: ReadonlyMap<string, string>): JsonObject {
  const ours = Object.entries(row).filter(
    ([name, value]) => name !== "__metadata" && !CONTROL.test(name) && !isDeferred(value),
  );
  return Object.fromEntries(ours.map(([name, value]) => [name, plainValue(value, types?.get(name))]));
}

export function plainValue(value: Json, type?: string): Json {
  if (typeof value === "string") return plainText(value, type === "Edm.Time" || type === "Edm.Duration");
  if (Array.isArray(value)) return value.map((member) => plainValue(member));
  if (!isJsonObject(value)) return value;
  const { results } = value;
  return Array.isArray(results) && Object.keys(value).length <= 2
    ? results.map((member) => plainValue(member))
    : plainRow(value);
}

function plainText(text: string, isTime: boolean): string {
  const date = DATE.exec(text);
  if (date !== null) {
    const iso = new Date(Number(date[1])).toISOString();
    return date[2] === undefined ? iso.slice(0, -1) : iso;
  }
  const time = isTime || WHOLE_TIME.test(text) ? TIME.exec(text) : null;
  if (time === null) return text;
  return [time[1], time[2], time[3]].map((part) => (part ?? "0").padStart(2, "0")).join(":");
}

function isDeferred(value: Json): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "__deferred");
}

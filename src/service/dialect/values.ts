import { canonicalJson, isJsonObject, type Json } from "#model";

/**
 * The id in a value: a number, digits as text, or a linked record with an `id`. Ids are positive and exact: 0, -1, 1e30
 * and numbers that JSON rounds beyond 2^53 are not ids.
 */
export function serviceIdOf(value: Json | undefined): number | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  if (typeof value === "string") return /^\d{1,15}$/.test(value) ? serviceIdOf(Number(value)) : undefined;
  return isJsonObject(value) ? serviceIdOf(value["id"]) : undefined;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;
const MS_PER_SECOND = 1000;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Epoch milliseconds of a date as the service writes it; UTC where it has no zone. Undefined for anything else. */
export function instantOf(value: Json | undefined): number | undefined {
  if (typeof value !== "string") return undefined;
  if (DAY.test(value)) return Date.parse(`${value}T00:00:00Z`);
  const match = INSTANT.exec(value);
  if (match === null) return undefined;
  const at = Date.parse(match[3] === undefined ? `${value}Z` : value);
  return Number.isNaN(at) ? undefined : at;
}

/** Whether a field has no value: it may be null, empty, blank or absent. */
export function isEmpty(value: Json | undefined): boolean {
  if (typeof value === "string") return value.trim() === "";
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/**
 * Whether an answer shows what was sent, in meaning rather than in spelling: links may come back as ids or as records,
 * dates in another precision or as a count since 1970, arrays in another order, texts trimmed, numbers as text.
 */
export function sameValue(sent: Json | undefined, found: Json | undefined): boolean {
  if (isEmpty(sent)) return isEmpty(found);
  if (sent === undefined || sent === null || found === undefined || found === null || isEmpty(found)) return false;
  if (Array.isArray(sent)) return Array.isArray(found) && sameMembers(sent, found);
  if (isJsonObject(sent))
    return isJsonObject(found) && Object.entries(sent).every(([name, value]) => sameValue(value, found[name]));
  if (isJsonObject(found)) return serviceIdOf(sent) !== undefined && serviceIdOf(sent) === serviceIdOf(found);
  if (Array.isArray(found)) return false;
  return sent === found || sameScalar(sent, found);
}

/** Whether two values are equal as parts of a key: texts and numbers by their trimmed text, links by their ids. */
export function sameKeyPart(wanted: Json, found: Json | undefined): boolean {
  if (isEmpty(wanted)) return isEmpty(found);
  const text = keyText(wanted);
  return text !== undefined && text === keyText(found);
}

/** A value as the text of a key; undefined for a value that cannot be a key. */
export function keyText(value: Json | undefined): string | undefined {
  const scalar = isJsonObject(value) ? serviceIdOf(value) : value;
  return scalar === undefined || scalar === null || typeof scalar === "object"
    ? undefined
    : String(scalar).trim().normalize("NFC");
}

function sameScalar(sent: string | number | boolean, found: string | number | boolean): boolean {
  const sentAt = instantOf(sent);
  if (sentAt !== undefined && (sentAt === instantOf(found) || isCount(sentAt, found))) return true;
  if (typeof sent === "boolean" || typeof found === "boolean") return flag(sent) === flag(found);
  if (typeof sent === "number" || typeof found === "number") return Number(sent) === Number(found);
  return tidy(sent) === tidy(found);
}

/** Whether it is the instant as a count of milliseconds or seconds since 1970. */
function isCount(instant: number, found: string | number | boolean): boolean {
  return typeof found !== "boolean" && [instant, instant / MS_PER_SECOND].includes(Number(found));
}

function flag(value: string | number | boolean): string {
  const text = String(value).toLowerCase();
  return text === "1" ? "true" : text === "0" ? "false" : text;
}

function tidy(text: string): string {
  return text.replaceAll("\r\n", "\n").trim().normalize("NFC");
}

function sameMembers(sent: readonly Json[], found: readonly Json[]): boolean {
  const foundTexts = memberTexts(found);
  return sent.length === found.length && memberTexts(sent).every((text, at) => text === foundTexts[at]);
}

function memberTexts(values: readonly Json[]): string[] {
  return values.map((value) => canonicalJson(serviceIdOf(value) ?? value)).toSorted();
}

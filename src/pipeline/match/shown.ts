import { isJsonObject, type Json, type Projection, type ServiceId } from "#model";
import type { Stream } from "#mapping";
import { isEmpty, sameValue, type ServiceRecord } from "#service";
import type { Wanted } from "../wanted/resolver.ts";

/** The most characters of a name that are shown. */
const NAME_LENGTH = 60;
/** Fields that can name a record, best first. Only the first line of a text is shown. */
const NAME_FIELDS = ["name", "title", "subject", "description"];

/** A record in the form in which people recognise it. */
export interface Shown {
  /** The record's name; empty if no field has one. */
  readonly name: string;
  /** Its match fields and their values, e.g. `customerId 10023`. */
  readonly match: string;
}

/** A service record that an ERP record is, or could be. */
export interface Counterpart extends Shown {
  readonly serviceId: ServiceId;
}

/** A field that the first write would change. */
export interface Overwrite {
  readonly field: string;
  readonly from: Json;
  readonly to: Json;
}

/** The fields of a service record to read so that it can be shown and compared. */
export function shownFields({ match, ownedFields }: Stream): string[] {
  return ["id", ...new Set([...match.flatMap((rule) => rule.fields), ...ownedFields])];
}

export function shownAs({ match }: Pick<Stream, "match">, record: Projection | ServiceRecord): Shown {
  const fields = [...new Set(match.flatMap((rule) => rule.fields))];
  const filled = fields.flatMap((field) => (textOf(record[field]) === "" ? [] : [`${field} ${textOf(record[field])}`]));
  const name = NAME_FIELDS.map((field) => textOf(record[field])).find((text) => text !== "") ?? "";
  return { name: name.split("\n")[0]!.slice(0, NAME_LENGTH), match: filled.join(", ") };
}

function textOf(value: Json | undefined): string {
  if (isJsonObject(value)) return textOf(value["id"]);
  return value === undefined || value === null || typeof value === "object" ? "" : String(value).trim();
}

/**
 * Whether the service shows that a field has no value. One that it does not show may have one, except a custom field: the
 * service leaves out those without a value.
 */
export function isShownEmpty(record: ServiceRecord, field: string): boolean {
  const found = record[field];
  if (found !== undefined || !field.startsWith("customFields.")) return found !== undefined && isEmpty(found);
  const shown = record["customFields"] ?? [];
  return Array.isArray(shown) && shown.every((item) => isJsonObject(item) && "value" in item);
}

/** Returns the fields that the first write would replace. Tags are only added, fields written at creation only are left alone, and so are those that are only filled. */
export function overwritten({ projection, createOnly, emptyOnly, shared }: Wanted, record: ServiceRecord): Overwrite[] {
  return Object.entries(projection).flatMap(([field, to]) => {
    const from = record[field];
    const isKept = emptyOnly.has(field) && !isShownEmpty(record, field);
    const isOurs = !createOnly.has(field) && !shared.has(field) && !isKept;
    return isOurs && !sameValue(to, from) ? [{ field, from: from ?? null, to }] : [];
  });
}

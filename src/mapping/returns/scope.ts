import { isJsonObject, type Json, type JsonObject, type Row } from "#model";
import { kindOf, mappingError, type FieldLocation } from "../compile/mapping-error.ts";

/** A member of a list, as expressions see it. */
export interface ScopedLine {
  readonly id: number;
  readonly row: Row;
}

interface LineScope {
  readonly reads: readonly string[];
  /** The names of the records around a line, from the outermost, and of the head. */
  readonly around: { readonly head: string; readonly names: readonly string[]; readonly headReads: readonly string[] };
  readonly place: FieldLocation;
}

/** The record as expressions see it: with every field that they read. The service leaves out fields without a value. */
export function headScope(record: JsonObject, reads: readonly string[]): Row {
  return { ...absent(reads), ...record, ...customFields(record, reads) };
}

function absent(reads: readonly string[]): Row {
  return Object.fromEntries(reads.map((path) => [path.split(".")[0]!, null]));
}

/** Custom fields come as members of their whole name, and are read as paths. */
function customFields(record: JsonObject, reads: readonly string[]): Row {
  const custom = reads.filter((path) => path.startsWith("customFields."));
  if (custom.length === 0) return {};
  return {
    customFields: Object.fromEntries(custom.map((path) => [path.slice("customFields.".length), record[path] ?? null])),
  };
}

/**
 * The members of a list of the record. A line's own fields are at the top; the records around it are there by the singular of
 * their list, and the head by its resource.
 * @throws {ParkError} E_MAPPING when the record lacks the list, or a member has no id.
 */
export function linesIn(record: JsonObject, each: string, { reads, around, place }: LineScope): ScopedLine[] {
  const lists = each.split(".");
  const outer = { [around.head]: withoutLists(headScope(record, around.headReads)) };
  const walk = (owner: JsonObject, depth: number, above: Row): ScopedLine[] => {
    const list = owner[lists[depth]!];
    if (!Array.isArray(list)) throw mappingError(place, `found ${kindOf(list)} at ${each}, expected a list`);
    return list.flatMap((member) => {
      if (!isJsonObject(member)) throw mappingError(place, `found ${kindOf(member)} in ${each}, expected records`);
      if (depth < lists.length - 1) {
        const name = around.names[depth]!;
        const own = reads.filter((path) => path.startsWith(`${name}.`)).map((path) => path.slice(name.length + 1));
        return walk(member, depth + 1, { ...above, [name]: withoutLists(headScope(member, own)) });
      }
      const id: Json | undefined = member["id"];
      if (typeof id !== "number") throw mappingError(place, `found a record without an id in ${each}`);
      return [{ id, row: { ...headScope(member, reads), ...above } }];
    });
  };
  return walk(record, 0, outer);
}

/** Lists of records below are not visible from a line: it would carry the whole report. */
function withoutLists(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).filter(([, value]) => !(Array.isArray(value) && value.some((member) => isJsonObject(member)))),
  );
}

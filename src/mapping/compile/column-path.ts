import { isJsonObject, type Json, type Row } from "#model";
import { didYouMean } from "../did-you-mean.ts";
import { kindOf, mappingError, type FieldLocation } from "./mapping-error.ts";

const segment = /`([^`]+)`|([\p{L}\p{N}_$#@-]+)/uy;

export interface ColumnPath {
  readonly column: string;
  /** Members below the column, outermost first. */
  readonly members: readonly string[];
}

/**
 * Parses a plain path such as `address.city`; undefined when the text is not a path. Letters, digits and `_ $ # @ -`
 * need no quoting; any other name is written in backticks: `` `Search Name` ``.
 */
export function parsePath(text: string): ColumnPath | undefined {
  const names: string[] = [];
  let at = 0;
  for (;;) {
    segment.lastIndex = at;
    const found = segment.exec(text);
    if (!found) return undefined;
    names.push(found[1] ?? found[2]!);
    at = segment.lastIndex;
    if (at === text.length) return { column: names[0]!, members: names.slice(1) };
    if (text[at++] !== ".") return undefined;
  }
}

/**
 * Reads a path of a row. The column must exist; a missing member below it is null, as NULL is.
 * @throws {ParkError} E_MAPPING when the row has no such column, or the path leads into a text or a list: the ERP's
 * table is not the one the file was written for.
 */
export function compilePath(text: string, place: FieldLocation): (row: Row) => Json {
  const { column, members } = parsePath(text)!;
  return (row) => {
    const value = Object.hasOwn(row, column) ? row[column] : undefined;
    if (value === undefined) throw missingColumn(place, column, row);
    return members.length === 0 ? value : inside(value, column, members, place);
  };
}

export function missingColumn(place: FieldLocation, column: string, row: Row): Error {
  return mappingError(place, `the row has no column "${column}"${didYouMean(column, Object.keys(row))}`, { column });
}

/**
 * Refuses an expression's path that leads into a text, a number or a boolean, because it would yield nothing. A path
 * into a list yields a list of its members' values.
 * @throws {ParkError} E_MAPPING
 */
export function refuseScalars({ column, members }: ColumnPath, row: Row, place: FieldLocation): void {
  const look = (value: Json | undefined, path: string, rest: readonly string[]): void => {
    const [name, ...further] = rest;
    if (name === undefined || value === undefined || value === null) return;
    if (Array.isArray(value)) return value.forEach((member) => look(member, path, rest));
    if (!isJsonObject(value)) throw scalar(value, path, name, place);
    look(Object.hasOwn(value, name) ? value[name] : null, `${path}.${name}`, further);
  };
  look(row[column], column, members);
}

/** A missing member of an object is null. A path into anything else is misspelt, and would clear the field in every record. */
function inside(value: Json, column: string, members: readonly string[], place: FieldLocation): Json {
  let at: Json = value;
  let path = column;
  for (const name of members) {
    if (at === null) return null;
    if (!isJsonObject(at)) throw scalar(at, path, name, place);
    at = Object.hasOwn(at, name) ? at[name]! : null;
    path += `.${name}`;
  }
  return at;
}

function scalar(value: Json, path: string, member: string, place: FieldLocation): Error {
  const message = `"${path}" holds ${kindOf(value)}, which has no member "${member}": write ${path}, or correct the path`;
  return mappingError(place, message, { path: `${path}.${member}` });
}

import { XMLParser, XMLValidator } from "fast-xml-parser";
import { isJsonObject, messageOf, type Json, type JsonObject } from "#model";
import { FileFault } from "../file-fault.ts";
import type { FilesRead } from "../schema.ts";

/** Under this name, which no element can have, the parser puts an element's attributes. */
const ATTRIBUTES = "@";
const TEXT = "#text";

/** The names by which an XML file may declare each encoding. */
const DECLARED: Readonly<Record<FilesRead["encoding"], RegExp>> = {
  utf8: /^(utf-?8|us-ascii)$/i,
  cp1252: /^(windows-1252|cp1252|iso-8859-1|us-ascii)$/i,
  latin1: /^(iso-8859-1|latin-?1|us-ascii)$/i,
  utf16le: /^utf-?16(le)?$/i,
};

/**
 * Returns the records of an XML document: the elements at the path `rows`, with their attributes and elements as columns. An element
 * that holds a text is that text, and one that holds nothing is null, whatever attributes it has; these are the column `Name@attribute`.
 * @throws {FileFault} when it is no such document.
 */
export function xmlRecords(text: string, { encoding, rows }: FilesRead): readonly Json[] {
  return elementsAt(xmlDocument(text, encoding), rows).map((element) =>
    isJsonObject(element) ? columnsOf(element) : element,
  );
}

/** @throws {FileFault} when it is no XML, or not of this encoding. */
export function xmlDocument(text: string, encoding: FilesRead["encoding"]): Json {
  const declared = /^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(text)?.[1];
  if (declared !== undefined && !DECLARED[encoding].test(declared))
    throw new FileFault(`the file says that it is ${declared}, the stream says \`encoding: ${encoding}\``, 1);
  if (/<!DOCTYPE/i.test(text)) throw new FileFault("the file has a DOCTYPE, which is refused");
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw new FileFault(valid.err.msg, valid.err.line);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributesGroupName: ATTRIBUTES,
    attributeNamePrefix: "",
    parseTagValue: false,
    parseAttributeValue: false,
    removeNSPrefix: true,
    ignoreDeclaration: true,
    // Also what has a number: &#252;
    htmlEntities: true,
  });
  try {
    const document: Json = parser.parse(text);
    return document;
  } catch (cause) {
    throw new FileFault(`the file cannot be read as XML: ${messageOf(cause)}`, undefined, cause);
  }
}

/**
 * Returns the elements at a path. A single one counts as a list of one. An element of the path that holds no other element has none:
 * `<Customers/>` is a list without records.
 */
function elementsAt(document: Json, path: string): readonly Json[] {
  const names = path === "" ? [] : path.split(".");
  let at = document;
  for (const [depth, name] of names.entries()) {
    if (depth > 0 && isEmpty(at)) return [];
    const next = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    if (next === undefined) throw new FileFault(`there are no records at ${path}`);
    at = next;
  }
  if (Array.isArray(at)) return at;
  if (isJsonObject(at)) return [at];
  if (names.length === 1 && isEmpty(at)) return [];
  throw new FileFault(`there are no records at ${path === "" ? "the root" : path}`);
}

function isEmpty(element: Json): boolean {
  return element === "" || (isJsonObject(element) && Object.keys(element).every((name) => name === ATTRIBUTES));
}

/** The columns of a record, or the members of an element in it: its attributes and its elements. */
function columnsOf({ [ATTRIBUTES]: attributes = {}, ...elements }: JsonObject): JsonObject {
  const members: [string, Json][] = isJsonObject(attributes) ? Object.entries(attributes) : [];
  for (const [name, element] of Object.entries(elements)) {
    const value = valueOf(element);
    members.push([name, value]);
    if (isJsonObject(element) && !isJsonObject(value))
      for (const [attribute, text] of attributesOf(element)) members.push([`${name}@${attribute}`, text]);
  }
  return Object.fromEntries(members);
}

/** The value of an element in a record: its text, its members, or null where it holds nothing or says so (`xsi:nil`). */
function valueOf(element: Json): Json {
  if (Array.isArray(element)) return element.map(valueOf);
  if (!isJsonObject(element)) return element;
  const { [ATTRIBUTES]: _, [TEXT]: text, ...elements } = element;
  if (Object.keys(elements).length > 0) return columnsOf(element);
  return text ?? null;
}

/** The attributes of an element that are no columns of their own, without `xsi:nil`. */
function attributesOf({ [ATTRIBUTES]: attributes = {} }: JsonObject): (readonly [string, Json])[] {
  return isJsonObject(attributes) ? Object.entries(attributes).filter(([name]) => name !== "nil") : [];
}

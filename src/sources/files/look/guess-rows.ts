import { isJsonObject, type Json } from "#model";

/** How deep the list of records is looked for. */
const DEEPEST = 4;

/** The path of the longest list of objects in a document; undefined if there is none. Looks at the shallow levels first. */
export function guessRows(document: Json): string | undefined {
  if (isList(document)) return "";
  let level: readonly (readonly [path: string, value: Json])[] = [["", document]];
  for (let depth = 0; depth < DEEPEST; depth++) {
    level = level.flatMap(([path, value]) =>
      isJsonObject(value)
        ? Object.entries(value).map(([name, member]) => [path === "" ? name : `${path}.${name}`, member] as const)
        : [],
    );
    const lists = level.filter(([, value]) => isList(value));
    const longest = lists.toSorted(([, a], [, b]) => lengthOf(b) - lengthOf(a))[0];
    if (longest !== undefined) return longest[0];
  }
  return undefined;
}

function isList(value: Json): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isJsonObject);
}

function lengthOf(value: Json): number {
  return Array.isArray(value) ? value.length : 0;
}

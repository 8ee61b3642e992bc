import { isJsonObject, type Json, type JsonObject } from "#model";

/** Words of a schema about the value itself; the others are about its members. */
const formWords = [
  "type",
  "const",
  "enum",
  "pattern",
  "format",
  "default",
  "minimum",
  "maximum",
  "minLength",
  "minItems",
];

/** One way in which a value may be written. */
export interface Form {
  readonly description?: Json;
  readonly [word: string]: Json | undefined;
}

export interface Word {
  readonly word: string;
  readonly description: string;
  /** Missing where only one of several forms needs it. */
  readonly required?: true;
}

/** The place in a JSON Schema to which a path leads: each way in which the value there may be written. */
export class SchemaPlace {
  readonly #root: JsonObject;
  readonly #ways: readonly JsonObject[];

  private constructor(root: JsonObject, ways: readonly JsonObject[]) {
    this.#root = root;
    this.#ways = ways;
  }

  static atRoot(schema: JsonObject): SchemaPlace {
    return new SchemaPlace(schema, waysOf(schema, schema));
  }

  /** The place one step below: a word, a name of the user's own, or the number of an item. Undefined where nothing may stand there. */
  below(step: string): SchemaPlace | undefined {
    const found = this.#ways.flatMap((way) => childrenOf(way, step)).flatMap((child) => waysOf(child, this.#root));
    if (found.length > 0) return new SchemaPlace(this.#root, found);
    // Errors name items by number; a path without the number means any item.
    const items = this.#ways.flatMap(({ items }) => (isJsonObject(items) ? waysOf(items, this.#root) : []));
    return items.length === 0 ? undefined : new SchemaPlace(this.#root, items).below(step);
  }

  get forms(): Form[] {
    const forms = this.#ways.map((way) =>
      Object.fromEntries(
        ["description", ...formWords].flatMap((word) => (way[word] === undefined ? [] : [[word, way[word]]])),
      ),
    );
    return [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
  }

  /** The words that may stand below, of all forms together. */
  get words(): Word[] {
    const words = new Map<string, Word>();
    for (const { properties, required } of this.#objects()) {
      if (!isJsonObject(properties)) continue;
      for (const [word, schema] of Object.entries(properties)) {
        const isRequired = this.#objects().length === 1 && Array.isArray(required) && required.includes(word);
        words.set(
          word,
          words.get(word) ?? { word, description: descriptionOf(schema), ...(isRequired && { required: true }) },
        );
      }
    }
    return [...words.values()];
  }

  /** Whether names of the user's own may stand below: of a stream, a source, a field. */
  get takesNames(): boolean {
    return this.#ways.some(({ additionalProperties }) => isJsonObject(additionalProperties));
  }

  #objects(): readonly JsonObject[] {
    return this.#ways
      .flatMap((way) => {
        const { items } = way;
        return isJsonObject(items) ? [way, ...waysOf(items, this.#root)] : [way];
      })
      .filter(({ properties }) => properties !== undefined);
  }
}

/** The alternatives of a schema, each complete; a description that stands above them belongs to each that has none. */
function waysOf(schema: JsonObject, root: JsonObject): JsonObject[] {
  const { anyOf, oneOf, $ref, ...rest } = schema;
  if (typeof $ref === "string") {
    const { $defs } = root;
    const target = isJsonObject($defs) ? $defs[$ref.replace("#/$defs/", "")] : undefined;
    // What refers to itself is any value: below it is nothing to explain.
    return [{ ...(isJsonObject(target) && target["anyOf"] === undefined ? target : {}), ...rest }];
  }
  const choices = [anyOf, oneOf].find((choice) => Array.isArray(choice));
  if (!Array.isArray(choices)) return [schema];
  return choices.filter(isJsonObject).flatMap((choice) => waysOf({ ...rest, ...choice }, root));
}

function childrenOf({ properties, additionalProperties, items }: JsonObject, step: string): JsonObject[] {
  const named = isJsonObject(properties) ? properties[step] : undefined;
  if (isJsonObject(named)) return [named];
  if (isJsonObject(additionalProperties)) return [additionalProperties];
  return /^\d+$/.test(step) && isJsonObject(items) ? [items] : [];
}

function descriptionOf(schema: Json): string {
  return isJsonObject(schema) && typeof schema["description"] === "string" ? schema["description"] : "";
}

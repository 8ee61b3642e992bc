import type { Json, Row } from "#model";
import { Expression } from "../expression/expression.ts";
import type { ValueWords } from "../words.ts";
import { compilePath } from "./column-path.ts";
import { kindOf, mappingError, type FieldLocation } from "./mapping-error.ts";

/** A row, and the results of the stream's expressions for it, in the order in which they were registered. */
export interface Input {
  readonly row: Row;
  readonly results: readonly Json[];
}

export type Reader = (input: Input) => Json;

export type Table = (value: Json) => Json;

/** A compiled value: where it is read, and the table that is applied to what was read. */
export interface CompiledValue {
  readonly read: Reader;
  /** `map` and `default`; each member of a list passes through it separately. */
  readonly table: Table;
  /** The only names that this value can take, where the file itself states them. */
  readonly constants: readonly Json[];
}

/** Compiles values and collects their expressions, so that a stream without expressions maps without any promise. */
export class ValueCompiler {
  readonly expressions: Expression[] = [];

  compile(words: ValueWords, place: FieldLocation): CompiledValue {
    if (typeof words === "string") return { read: readColumn(words, place), table: asIs, constants: [] };
    if ("const" in words) {
      const value = words.const;
      return { read: () => value, table: asIs, constants: Array.isArray(value) ? value : [value] };
    }
    const read = "from" in words ? readColumn(words.from, place) : this.#readResult(words.expr, place);
    const constants = [...Object.values(words.map ?? {}), ...(words.default === undefined ? [] : [words.default])];
    return { read, table: compileTable(words, place), constants };
  }

  #readResult(text: string, place: FieldLocation): Reader {
    const at = this.expressions.push(new Expression(text, place)) - 1;
    return ({ results }) => results[at] ?? null;
  }
}

function readColumn(path: string, place: FieldLocation): Reader {
  const read = compilePath(path, place);
  return ({ row }) => read(row);
}

const asIs: Table = (value) => value;

/** NULL, or a text without content: what an ERP stores where a person entered nothing. */
export function isBlank(value: Json): value is null | string {
  return value === null || (typeof value === "string" && value.trim() === "");
}

function compileTable(
  words: { map?: Record<string, Json> | undefined; default?: Json | undefined },
  place: FieldLocation,
): Table {
  const fallback = words.default;
  const entries =
    words.map && new Map(Object.entries(words.map).map(([text, entry]) => [text.normalize("NFC"), entry]));
  if (!entries && fallback === undefined) return asIs;
  return (value) => {
    const entry = typeof value === "object" ? undefined : entries?.get(String(value).normalize("NFC"));
    if (entry !== undefined) return entry;
    if (isBlank(value)) return fallback ?? null;
    if (!entries) return value;
    if (fallback !== undefined) return fallback;
    const known = [...entries.keys()].join(", ");
    throw mappingError(place, `${shownValue(value)} is not in map, which knows ${known}`, { known });
  };
}

/** Codes are short, and needed to add their line to the `map`; a longer text may be personal data. */
const CODE_LENGTH = 40;

function shownValue(value: Json): string {
  const isCode = typeof value !== "object" && String(value).length <= CODE_LENGTH;
  return isCode ? `the value ${JSON.stringify(value)}` : `the value (${kindOf(value)})`;
}

/** Reads a value and passes it through its table. */
export function valueOf({ read, table }: CompiledValue): Reader {
  if (table === asIs) return read;
  return (input) => table(read(input));
}

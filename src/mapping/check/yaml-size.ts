import { Lexer } from "yaml";
import { grouped } from "#model";
import type { PlacedProblem } from "./problem.ts";

/** The longest text, in characters, and the most values in it. */
const LARGEST_TEXT = 1_048_576;
const MOST_VALUES = 50_000;

/** The token that the lexer puts in front of a value without quotes. */
const PLAIN = "\u001f";

/** What is too large in a YAML text, found before it is parsed. Undefined if it may be parsed. */
export function excessOf(text: string): PlacedProblem | undefined {
  if (text.length > LARGEST_TEXT)
    return tooMany({ line: 1, column: 1 }, `${grouped(text.length)} characters`, LARGEST_TEXT);
  let count = 0;
  let line = 1;
  let column = 1;
  for (const token of new Lexer().lex(text)) {
    if (token === PLAIN || /^["'*[{]/.test(token)) count++;
    if (count > MOST_VALUES) return tooMany({ line, column }, "more names and values", MOST_VALUES);
    const lines = isMark(token) ? [""] : token.split("\n");
    line += lines.length - 1;
    column = lines.length > 1 ? lines.at(-1)!.length + 1 : column + lines[0]!.length;
  }
  return undefined;
}

/** Whether the lexer made the token up, so that the text does not have it. */
function isMark(token: string): boolean {
  return token === PLAIN || token === "\u0002" || token === "\u0018";
}

function tooMany(place: Pick<PlacedProblem, "line" | "column">, found: string, most: number): PlacedProblem {
  return { ...place, path: "", message: `found ${found}, expected at most ${grouped(most)} in a file` };
}

import type { YAMLParseError, YAMLWarning } from "yaml";
import { didQuote, secretName, valueAround, type WrittenValue } from "./yaml-value.ts";

/** What is wrong at a place of the file: found, expected, fix. */
export interface SyntaxProblem {
  readonly offset: number;
  readonly message: string;
}

type Fault = YAMLParseError | YAMLWarning;

/** What the library's error means for the text of the file. `next` is the error after it, if any. */
export function syntaxProblem(fault: Fault, text: string, next: Fault | undefined): SyntaxProblem {
  const [offset, end] = fault.pos;
  const at = (message: string, place = offset): SyntaxProblem => ({ offset: place, message });
  const value = valueAround(text, offset);
  switch (fault.code) {
    case "TAB_AS_INDENT":
      return at("found a tab at the beginning of the line, expected spaces: replace it, for example by two spaces");
    case "BAD_DQ_ESCAPE":
      return at(
        `found the escape ${text.slice(offset, offset + 2)} in double quotes, expected \\\\ for a backslash: double it, or use single quotes`,
      );
    case "BAD_SCALAR_START":
      return at(`found a value that begins with ${text[offset]}, expected quotes around it: ${didQuote(value)}`);
    case "TAG_RESOLVE_FAILED":
      return at(`found a value that begins with !, expected quotes around it: ${didQuote(value)}`);
    case "MULTIPLE_DOCS":
      return at("found a second document that begins with ---, expected one: remove this line");
    case "KEY_OVER_1024_CHARS":
      return at("found a name of more than 1024 characters, expected a name, a colon and a space");
    case "MISSING_CHAR":
      return missing(fault, text);
    case "BAD_INDENT":
      return badIndent(fault);
    case "MULTILINE_IMPLICIT_KEY":
      return at(
        `found ${shownLine(text, offset)} where a name is expected, and no colon with a space behind it: write "name: value"`,
      );
    case "BLOCK_AS_IMPLICIT_KEY":
      if (next?.code === "MULTILINE_IMPLICIT_KEY")
        return at(
          "found a line that is indented deeper than the one above, which already has a value; expected both to begin in the same column",
          nextLine(text, offset),
        );
      return at(
        `found a colon, a question mark or a dash with a space inside a value, expected quotes around it: ${didQuote(value)}`,
      );
    case "BLOCK_IN_FLOW":
      return at(
        `found a colon or a question mark with a space inside a value between brackets, expected a comma before the next name, or quotes around the value: ${didQuote(valueAround(text, offset))}`,
      );
    case "UNEXPECTED_TOKEN":
      return at(unexpected(fault, text, value));
    case "ALIAS_PROPS":
    case "BAD_ALIAS":
    case "BAD_COLLECTION_TYPE":
    case "BAD_DIRECTIVE":
    case "BAD_PROP_ORDER":
    case "DUPLICATE_KEY":
    case "IMPOSSIBLE":
    case "MULTIPLE_ANCHORS":
    case "MULTIPLE_TAGS":
    case "NON_STRING_KEY":
    case "RESOURCE_EXHAUSTION":
      return at(
        `found ${shown(text.slice(offset, Math.max(end, offset + 1)))}, which does not belong here; expected "name: value" lines, with quotes around values that contain special characters: ${didQuote(value)}`,
      );
  }
}

function missing({ message, pos: [offset] }: Fault, text: string): SyntaxProblem {
  const quote = /closing (["'])quote/.exec(message)?.[1];
  if (quote === undefined)
    return {
      offset,
      message: `found ${shownLine(text, offset)} without a colon, expected a name, a colon and a space: "name: value"`,
    };
  // The library reports the end of the file; the person needs the quote that was opened last.
  const opened = lastOpened(text.slice(0, offset), quote);
  return {
    offset: opened,
    message: `found ${quote} that opens a text and no ${quote} that ends it, expected one at the end of the value: add it`,
  };
}

/** Where the last text in such quotes begins. */
function lastOpened(text: string, quote: string): number {
  const begins = [...text.matchAll(/[\s,:[{(-](["'])/g)].filter(([, found]) => found === quote);
  const last = begins.at(-1);
  return last === undefined ? Math.max(0, text.indexOf(quote)) : last.index + 1;
}

function badIndent({ message, pos: [offset] }: Fault): SyntaxProblem {
  const bracket = /end with a ([\]}])/.exec(message)?.[1];
  if (bracket === undefined)
    return {
      offset,
      message:
        "found a line that begins in another column than the lines beside it, expected the same number of spaces",
    };
  const opening = bracket === "]" ? "[" : "{";
  return {
    offset,
    message: `found ${opening} without ${bracket} before this line, expected ${bracket} at its end: add it, or indent the lines between`,
  };
}

function unexpected({ message, pos: [offset] }: Fault, text: string, value: WrittenValue): string {
  const token = text[offset] ?? "";
  if (text[offset - 1] === "$" && token === "{")
    return `found a variable without quotes between brackets, expected quotes: quote it: ${didQuote(value)}`;
  if (/at node end/.test(message) && /["']/.test(value.text[0] ?? ""))
    return `found text after the quote that ends the text, expected the end of the value: quote it as a whole, and write '' for an apostrophe within single quotes`;
  if (/block-seq-ind/.test(message))
    return "found a list that begins on the line of its name, expected it on the lines below, or between [ and ]";
  if (/Block scalar header/.test(message))
    return `found text behind ${text[offset - 1] ?? "|"}, expected the end of the line, or quotes around a value that begins with | or >: ${didQuote(value)}`;
  if (/flow-(seq|map)-end/.test(message))
    return `found ${token} without ${token === "]" ? "[" : "{"} before it, expected one of both or none: remove it, or quote the value`;
  return `found ${shown(token)}, which has a meaning of its own in YAML; expected quotes around a value that contains it: quote it: ${didQuote(value)}`;
}

function shownLine(text: string, offset: number): string {
  const line = text.slice(offset).split("\n", 1)[0] ?? "";
  return shown(line.trim());
}

const LONGEST_SHOWN = 40;

/** A name or a mark; a long text may be a value, which may be secret. */
function shown(text: string): string {
  const isHidden = text.length > LONGEST_SHOWN || /:\/\/|=/.test(text) || secretName.test(text);
  return isHidden ? "a text" : JSON.stringify(text);
}

function nextLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  if (end < 0) return offset;
  return end + 1 + /^ */.exec(text.slice(end + 1))![0].length;
}

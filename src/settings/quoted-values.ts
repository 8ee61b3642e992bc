import type { EnvironmentProblem } from "./problem.ts";
import { isSettingsKey } from "./schema/schema.ts";

const straight = "\"'`";
const typographic = "“”„‟‘’‚«»";
const first = new RegExp(`^[${straight}${typographic}]`);
const last = new RegExp(`[${straight}${typographic}]$`);

/** Whether a quote is on one side of the text only. */
function isHalfQuoted(text: string): boolean {
  return text.length > 0 && first.test(text) !== last.test(text);
}

/** What is wrong with a value that has quotes of its own; undefined if it has none. */
export function quotesFound(text: string): string | undefined {
  if (isHalfQuoted(text)) return "a quote on one side only";
  return text.length > 1 && first.test(text) && last.test(text) ? "quotes that are part of the value" : undefined;
}

/** Whether a value of an env file, as it is written, has a quote that is not closed. Other values may end with one, such as 5". */
export function opensQuote(name: string, text: string): boolean {
  return isHalfQuoted(text) && (first.test(text) || (isSettingsKey(name) && !freeText.test(name)));
}

/** Passwords and names may begin or end with any character. */
const freeText = /PASSWORD$|_CODE$|_NAME$/;

/**
 * Finds values of our keys with quotes, as `docker run --env-file` and YAML leave them: there, quotes are part of the value, and the
 * service refuses a token with them.
 */
export function quotedValues(outer: Readonly<Record<string, string>>): EnvironmentProblem[] {
  return Object.entries(outer).flatMap(([name, text]) => {
    if (!isSettingsKey(name) || freeText.test(name)) return [];
    const found = quotesFound(text);
    return found === undefined ? [] : [{ key: name, found, wanted: "the value without quotes" }];
  });
}

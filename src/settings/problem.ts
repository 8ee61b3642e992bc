import { StopError } from "#model";
import type { Values } from "./schema/schema.ts";

/** One problem with the environment. */
export interface EnvironmentProblem {
  readonly key: string;
  /** What was found, in quotes; never a secret. */
  readonly found: string;
  readonly wanted: string;
}

/** Returns the problem if `key` is set but `other`, which it needs, is not. */
export function needs(values: Values, key: keyof Values, other: keyof Values, wanted: string): EnvironmentProblem[] {
  return values[key] === undefined || values[other] !== undefined ? [] : [{ key: other, found: "nothing", wanted }];
}

/** The keys whose value is in milliseconds, although their text is in seconds. */
type SecondsKey = Extract<keyof Values, `${string}_SECONDS`>;

/** Returns the problem if the value of `key` is on the wrong side of the value of `other`. */
export function compared(
  values: Values,
  key: SecondsKey,
  wanted: "at most" | "more than",
  other: SecondsKey,
): EnvironmentProblem[] {
  const [found, limit] = [values[key], values[other]];
  if (wanted === "at most" ? found <= limit : found > limit) return [];
  return [{ key, found: `"${found / 1000}"`, wanted: `${wanted} ${other}, which is ${limit / 1000}` }];
}

/** Combines all problems in one error, sorted by key, so that they can be corrected in one go. */
export function settingsError(problems: readonly EnvironmentProblem[]): StopError {
  const sorted = problems.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const lines = sorted.map(({ key, found, wanted }) => `  ${key}: found ${found}; expected ${wanted}`);
  const count = sorted.length === 1 ? "one problem" : `${sorted.length} problems`;
  return new StopError("E_SETTINGS", `the settings have ${count}:\n${lines.join("\n")}`, {
    details: { problems: sorted.map(({ key, found, wanted }) => ({ key, found, wanted })) },
  });
}

import { visibleTexts, type EnvironmentOptions } from "./environment.ts";
import type { EnvironmentProblem } from "./problem.ts";
import { quotesFound } from "./quoted-values.ts";
import { isSettingsKey } from "./schema/schema.ts";
import { isServiceLink, looksLikeOurs, meantBy } from "./unknown-names.ts";

/**
 * Finds variables that svcsync ignores although they may be meant for it, and values with quotes of their own. `used` holds the
 * variables that the sync file names: those have a purpose. Nothing of it prevents a run, because other programs may need the same names.
 */
export function environmentWarnings(options: EnvironmentOptions, used: ReadonlySet<string>): EnvironmentProblem[] {
  const { file, outer } = visibleTexts(options);
  const texts = { ...file, ...outer };
  return Object.entries(texts).flatMap(([name, text]): EnvironmentProblem[] => {
    if (isSettingsKey(name) || used.has(name)) return quotes(name, text);
    if (isServiceLink(name, text) || used.has(name.replace(/_FILE$/, ""))) return [];
    const meant = meantBy(name, file[name] !== undefined);
    const isOurs = looksLikeOurs(name);
    if (meant === undefined)
      return isOurs ? [{ key: name, found: "a name that svcsync does not read", wanted: "a key of .env.example" }] : [];
    // A platform sets PORT or REDIS_URL for any program; where our key has a value, nothing is missing.
    if (texts[meant] !== undefined && !isOurs) return [];
    return [{ key: name, found: "a name that svcsync does not read", wanted: `${meant}, if it is meant for svcsync` }];
  });
}

function quotes(name: string, text: string): EnvironmentProblem[] {
  const found = quotesFound(text);
  return found === undefined ? [] : [{ key: name, found, wanted: "the value without them, unless they belong to it" }];
}

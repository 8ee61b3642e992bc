import type { z } from "zod";
import type { SourceEntry } from "../contract.ts";
import { isHarmless } from "#model";
import { isObject, memberOf } from "../object.ts";
import { didYouMean } from "../did-you-mean.ts";
import { checkAdapterWords } from "./adapter-words.ts";
import type { FilePath, Problem } from "./problem.ts";
import { secretsIn } from "./secrets.ts";
import type { SyncFileContext } from "../sync-file-context.ts";
import { secretName } from "./yaml-value.ts";
import { fillVariables } from "./variable.ts";

export interface CheckedSources {
  readonly entries: readonly SourceEntry[];
  /** The name of every source, with the shape of its streams' `read` where its adapter is known. */
  readonly readShapes: ReadonlyMap<string, z.ZodType | undefined>;
  /** Texts of the settings that must never be shown. */
  readonly secrets: readonly string[];
  /** Variables without a value, where the context allows that. */
  readonly unsetVariables: readonly string[];
  /** All variables that the sources name. */
  readonly variables: readonly string[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Fills in variables and parses each source's settings by its adapter. Problems do not contain values. */
export function checkSources(words: Readonly<Record<string, unknown>>, context: SyncFileContext): CheckedSources {
  const entries: SourceEntry[] = [];
  const readShapes = new Map<string, z.ZodType | undefined>();
  const secrets: string[] = [];
  const unsetVariables = new Set<string>();
  const variables = new Set<string>();
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  for (const [name, source] of Object.entries(words)) {
    const path = ["sources", name];
    readShapes.set(name, undefined);
    const { adapter, ...settings } = isObject(source) ? source : {};
    if (typeof adapter !== "string") continue;
    const shapes = context.adapters.get(adapter);
    if (!shapes) {
      const names = [...context.adapters.keys()];
      const hint = didYouMean(adapter, names) || `, expected one of ${names.join(", ")}`;
      problems.push({ path: [...path, "adapter"], message: `found the unknown adapter "${adapter}"${hint}` });
      continue;
    }
    readShapes.set(name, shapes.read);
    const filled = fillVariables(settings, context.environment, path);
    for (const variable of filled.names) variables.add(variable);
    const allowed = context.mayLackVariables ? filled.unset : [];
    const wrong = filled.problems.filter((problem) => !allowed.some((unset) => unset.problem === problem));
    problems.push(...wrong);
    if (wrong.length > 0) continue;
    const hideValues = (at: FilePath, value: unknown) => mayBeSecret(settings, at.slice(path.length), value);
    const checked = checkAdapterWords(shapes.settings, filled.value, path, { hideValues });
    const known = checked.problems.filter(
      (problem) => !allowed.some((unset) => mayFollow(problem, unset.problem.path)),
    );
    problems.push(...known);
    warnings.push(...checked.warnings);
    for (const unset of allowed) unsetVariables.add(unset.name);
    if (known.length > 0 || allowed.length > 0) continue;
    entries.push({ name, adapter, settings: checked.value });
    secrets.push(...secretsIn(shapes.settings, checked.value));
  }
  return {
    entries,
    readShapes,
    secrets,
    unsetVariables: [...unsetVariables],
    variables: [...variables],
    problems,
    warnings,
  };
}

/**
 * Whether a setting's value must not be shown. `settings` is as written in the file: a value of the environment is never
 * shown, nor one whose name or form is that of a secret.
 */
function mayBeSecret(settings: unknown, at: FilePath, value: unknown): boolean {
  const written = at.reduce(memberOf, settings);
  if (written === undefined && at.length > 0) return true;
  if (JSON.stringify(written ?? null).includes("${")) return true;
  if (at.some((part) => typeof part === "string" && secretName.test(part))) return true;
  return typeof value === "string" ? !isHarmless(value) : typeof value === "object" && value !== null;
}

/** Whether a problem may only be caused by the unknown value at `path`, or a part of it. */
function mayFollow(problem: Problem, path: FilePath): boolean {
  if (problem.atName) return false;
  const shorter = Math.min(problem.path.length, path.length);
  return problem.path.slice(0, shorter).every((part, at) => part === path[at]);
}

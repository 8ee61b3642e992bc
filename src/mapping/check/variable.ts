import type { FilePath, Problem } from "./problem.ts";
import { didYouMean } from "../did-you-mean.ts";

const token = /\$\$|\$\{([^}]*)(\}?)/g;
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

export interface Filled {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** Variables without a value, each with the place that names it; they are among the problems too. */
  readonly unset: readonly UnsetVariable[];
  /** The names of all variables, set or not. */
  readonly names: readonly string[];
}

interface UnsetVariable {
  readonly name: string;
  readonly problem: Problem;
}

/**
 * Replaces `${NAME}` by the environment's value in every text of `value`; `$$` is a dollar sign. A problem never
 * contains a value of the environment, or the text around it.
 */
export function fillVariables(value: unknown, environment: Readonly<Record<string, string>>, path: FilePath): Filled {
  const problems: Problem[] = [];
  const unset: UnsetVariable[] = [];
  const names: string[] = [];

  function fillText(text: string, path: FilePath): string {
    return text.replace(token, (whole: string, name: string = "", end: string | undefined, at: number) => {
      if (whole === "$$") return "$";
      const wrong = (message: string): Problem => {
        const problem = { path, message, offset: at };
        problems.push(problem);
        return problem;
      };
      names.push(name);
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
      if (end !== "}" || !variableName.test(name))
        wrong(`found "\${" that begins no variable, expected \${NAME} (a dollar sign itself is written $$)`);
      else if (value === undefined)
        unset.push({
          name,
          problem: wrong(
            `the variable ${name} is not set or empty${didYouMean(name, Object.keys(environment))}; set it in the env file (.env, or the file of --env-file) or in the environment of svcsync: ${name}=…`,
          ),
        });
      else return value;
      return "";
    });
  }

  function fill(value: unknown, path: FilePath): unknown {
    if (typeof value === "string") return fillText(value, path);
    if (Array.isArray(value)) return value.map((item, at) => fill(item, [...path, at]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member, [...path, name])]));
  }

  return { value: fill(value, path), problems, unset, names };
}

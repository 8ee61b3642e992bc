import type { Preset } from "./presets.ts";

/** The answers by key; an empty or missing text still has to be filled in. */
export type Answers = ReadonlyMap<string, string>;

/** The service keys that the questions fill, in the order of the file. */
const serviceKeys = ["SERVICE_URL", "SERVICE_TOKEN", "SERVICE_USERNAME", "SERVICE_PASSWORD"] as const;

/** The keys that the questions fill for this preset. */
export function askedKeys({ variables }: Preset): readonly string[] {
  return [...serviceKeys, ...variables.map(({ name }) => name)];
}

/** The text of `.env`, with an empty value for each unanswered key. */
export function envText(preset: Preset, answers: Answers): string {
  const { title, variables } = preset;
  const asked = askedKeys(preset);
  const others = [...answers.keys()].filter((name) => !asked.includes(name));
  const isLogin = (answers.get("SERVICE_USERNAME") ?? "") !== "";
  const lines = [
    "# Settings of svcsync. Every other key has a default; .env.example explains them all.",
    "# The process environment takes precedence over this file; an empty value means not set.",
    "# Quote values that hold a # or a $: KEY='a#b'. A secret KEY can also come from a file: KEY_FILE=/run/secrets/key",
    "",
    "# -- The service: a token made in its web interface, or a user name and a password",
    line("SERVICE_URL", answers),
    ...(isLogin
      ? [line("SERVICE_USERNAME", answers), line("SERVICE_PASSWORD", answers)]
      : [line("SERVICE_TOKEN", answers)]),
    "",
    `# -- ${title}`,
    ...variables.flatMap(({ name, about, example }) => [
      `# ${about}${example === undefined ? "" : `, like ${example}`}`,
      line(name, answers),
    ]),
    ...(others.length === 0 ? [] : ["", "# -- Others", ...others.map((name) => line(name, answers))]),
  ];
  return `${lines.join("\n")}\n`;
}

function line(name: string, answers: Answers): string {
  return `${name}=${quoted(answers.get(name) ?? "")}`;
}

/**
 * Quotes a value for an env file: none where it is plain, else the first kind that preserves the value. Docker Compose
 * expands variables and escapes inside double quotes, and otherwise supports only single quotes.
 */
function quoted(value: string): string {
  if (/^[\w:/.,@+=~?&%()-]*$/.test(value)) return value;
  if (value.includes("'") && !/["$\\]/.test(value)) return `"${value}"`;
  const quote = ["'", "`", '"'].find((candidate) => !value.includes(candidate)) ?? "'";
  return `${quote}${value}${quote}`;
}

import type { Preset } from "./presets.ts";

/** The answers by the names of their keys; an empty text, or none, is still to be filled in. */
export type Answers = ReadonlyMap<string, string>;

/** The keys of the service that the questions fill, in the order of the file. */
const serviceKeys = ["SERVICE_URL", "SERVICE_TOKEN", "SERVICE_USERNAME", "SERVICE_PASSWORD"] as const;

/** The keys that the questions fill for this preset. */
export function askedKeys({ variables }: Preset): readonly string[] {
  return [...serviceKeys, ...variables.map(({ name }) => name)];
}

/** The text of `.env`: what was answered, and an empty line for what was not. */
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
 * As env files want it: bare where that is plain, else in the first kind of quotes that keeps the value as it is. Docker Compose reads what is in
 * double quotes for variables and escapes, and knows no other kind but single ones.
 */
function quoted(value: string): string {
  if (/^[\w:/.,@+=~?&%()-]*$/.test(value)) return value;
  if (value.includes("'") && !/["$\\]/.test(value)) return `"${value}"`;
  const quote = ["'", "`", '"'].find((candidate) => !value.includes(candidate)) ?? "'";
  return `${quote}${value}${quote}`;
}

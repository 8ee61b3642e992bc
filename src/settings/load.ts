import { isHarmless } from "#model";
import { readEnvironment, type EnvironmentOptions } from "./environment.ts";
import type { SettingKey } from "./schema/key.ts";
import { localSettings, type LocalSettings } from "./local-settings.ts";
import { settingsError, type EnvironmentProblem } from "./problem.ts";
import { keys, type Values } from "./schema/schema.ts";
import { secretsOf, type Secrets } from "./secrets.ts";
import { proxyFor, serviceSettings, type ServiceSettings } from "./service-settings.ts";

export type { EnvironmentOptions } from "./environment.ts";

/** The interpreted environment, with defaults. Holds no secrets: those are in `Secrets`. */
export interface Settings extends LocalSettings {
  readonly service: ServiceSettings;
}

/**
 * Reads the environment once and interprets it.
 * @throws {StopError} E_SETTINGS with every problem, sorted by key; `details.problems` lists them one by one.
 */
export function loadSettings(options: EnvironmentOptions = {}): { settings: Settings; secrets: Secrets } {
  const { local, service, secrets, problems } = read(options);
  if (problems.length > 0 || service === undefined) throw settingsError(problems);
  return { settings: { ...local, service }, secrets };
}

/**
 * Like {@link loadSettings}, for commands that never call the service. A missing address or login of the service is no problem here, but an
 * invalid value still is.
 * @throws {StopError} E_SETTINGS
 */
export function loadLocalSettings(options: EnvironmentOptions = {}): { settings: LocalSettings; secrets: Secrets } {
  const { local, secrets, localProblems } = read(options);
  if (localProblems.length > 0) throw settingsError(localProblems);
  return { settings: local, secrets };
}

function read(options: EnvironmentOptions) {
  const environment = readEnvironment(options);
  const { texts, problems: environmentProblems } = environment;
  const { values, problems: valueProblems } = parseValues(texts);
  // What is wrong with the text itself explains why its value is not accepted.
  const told = new Set(environmentProblems.map(({ key }) => key));
  const localProblems: EnvironmentProblem[] = [
    ...environmentProblems,
    ...valueProblems.filter(({ key }) => !told.has(key)),
  ];
  const local = localSettings(values, environment, localProblems);
  const serviceProblems: EnvironmentProblem[] = [];
  const service = serviceSettings(values, serviceProblems);
  // An invalid value was replaced by its default or by nothing: report only the invalid value, not the problems that follow from it.
  const said = new Set(localProblems.map(({ key }) => key));
  const problems = [...localProblems, ...serviceProblems.filter(({ key }) => !said.has(key))];
  return { local, service, secrets: secretsOf(values, proxyFor(values.SERVICE_URL, values)), problems, localProblems };
}

/** Parses each key's text by its schema. An invalid text counts as absent, so that all problems are found at once. */
function parseValues(texts: Readonly<Record<string, string>>): { values: Values; problems: EnvironmentProblem[] } {
  const problems: EnvironmentProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, key] of Object.entries<SettingKey>(keys)) {
    const text = texts[name];
    const parsed = text === undefined ? undefined : key.value.safeParse(text);
    if (text !== undefined && parsed?.success === false) {
      const wanted = parsed.error.issues[0]?.message ?? "another value";
      problems.push({ key: name, found: key.secret ? "a value that is not shown" : shown(text), wanted });
    }
    if (parsed?.success === true) values[name] = parsed.data;
    else if (key.default !== undefined) values[name] = key.value.parse(key.default);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the loop went through every key and its own schema
  return { values: values as Values, problems };
}

/** Shows enough of a value to recognise it, but no secret: the value itself, or only its form. */
function shown(text: string): string {
  if (isHarmless(text)) return JSON.stringify(text);
  const scheme = /^([a-z][a-z0-9+.-]{0,15}):\/\//i.exec(text)?.[1];
  return scheme === undefined ? `${text.length} characters, not shown` : `an address with ${scheme}://, not shown`;
}

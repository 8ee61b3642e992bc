import { z } from "zod";
import { errorFacts, isTimeZone } from "#model";
import { wantedInstead } from "#settings";
import type { Answers } from "./env-text.ts";
import type { Interview } from "../interview.ts";
import { loadPreset, presetNamed, type Preset } from "./presets.ts";

/** Asks which ERP it is, by number or by name; undefined without an answer. */
export async function askPreset(interview: Interview, presets: readonly Preset[]): Promise<Preset | undefined> {
  const presetOf = (typed: string) =>
    presets[Number(typed) - 1] ?? presets.find(({ name }) => name === presetNamed(typed));
  const list = presets.map(({ name, title }, at) => `  ${String(at + 1).padStart(2)}  ${name.padEnd(16)} ${title}`);
  interview.say(`Which ERP leads?\n\n${list.join("\n")}\n`);
  const answer = await interview.ask({
    text: "Number or name",
    objection: (typed) => (presetOf(typed) ? undefined : `expected a number from 1 to ${presets.length}, or a name`),
  });
  return answer === undefined ? undefined : presetOf(answer);
}

/** Asks for values that `given` lacks: the service, then the ERP's variables. Undefined without an answer. */
export async function askSettings(
  interview: Interview,
  preset: Preset,
  given: Answers,
): Promise<Map<string, string> | undefined> {
  const answers = new Map(given);
  const ask = async (
    name: string,
    text: string,
    isSecret: boolean,
    objection?: (answer: string) => string | undefined,
  ) => {
    if (answers.has(name)) return true;
    const answer = await interview.ask({ text, isSecret, ...(objection && { objection }) });
    if (answer !== undefined) answers.set(name, answer);
    return answer !== undefined;
  };
  if (!(await ask("SERVICE_URL", "Address of the service, like https://company.example", false, ofKey("SERVICE_URL"))))
    return undefined;
  const tokenObjection = (answer: string) => (answer === "" ? undefined : ofKey("SERVICE_TOKEN")(answer));
  const hasLogin = given.has("SERVICE_TOKEN") || given.has("SERVICE_USERNAME");
  const token = "Token of the service (Enter alone: log in with a user name)";
  if (!hasLogin && !(await ask("SERVICE_TOKEN", token, true, tokenObjection))) return undefined;
  if ((answers.get("SERVICE_TOKEN") ?? "") === "") {
    if (!(await ask("SERVICE_USERNAME", "User name in the service", false, something))) return undefined;
    if (!(await ask("SERVICE_PASSWORD", "Password of that user", true, something))) return undefined;
  }
  for (const { name, about, example, isSecret, isDatabase } of preset.variables) {
    const isGiven = answers.has(name);
    const shown = isDatabase ? example?.replace(":password@", "@") : example;
    const text = `${about}${shown === undefined ? "" : `, like ${shown}`}`;
    const objection = (answer: string) => sourceObjection(preset, answers, name, answer);
    if (!(await ask(name, text, isSecret ?? false, objection))) return undefined;
    if (isDatabase && !isGiven) {
      const address = await withPassword(interview, answers.get(name)!);
      if (address === undefined) return undefined;
      answers.set(name, address);
    }
  }
  return answers;
}

const problemsOf = z.array(z.object({ message: z.string() }));

/** What the sync file's own parser says about an answer. Missing answers are replaced by their examples. */
function sourceObjection(preset: Preset, answers: Answers, name: string, answer: string): string | undefined {
  const examples = preset.variables.map((variable): [string, string] => [variable.name, variable.example ?? "x"]);
  const given = [...answers].filter(([, value]) => value !== "");
  const environment = { ...Object.fromEntries([...examples, ...given]), [name]: answer };
  if (answer === "") return undefined;
  try {
    loadPreset(preset, environment);
    return undefined;
  } catch (thrown) {
    return problemsOf.parse(errorFacts(thrown).details["problems"])[0]?.message;
  }
}

/** The address with its missing password added, encoded; undefined without an answer. */
async function withPassword(interview: Interview, address: string): Promise<string | undefined> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || url.username === "" || url.password !== "") return address;
  const text = `Password of ${decodeURIComponent(url.username)} in the database (Enter alone: none)`;
  const password = await interview.ask({ text, isSecret: true });
  if (password === undefined || password === "") return password === undefined ? undefined : address;
  const at = address.indexOf("@");
  return `${address.slice(0, at)}:${encodeURIComponent(password)}${address.slice(at)}`;
}

/** What the settings' own check says about an answer. */
function ofKey(name: "SERVICE_URL" | "SERVICE_TOKEN") {
  return (answer: string): string | undefined => {
    const wanted = wantedInstead(name, answer);
    return wanted && `expected ${wanted}`;
  };
}

function something(answer: string): string | undefined {
  return answer === "" ? "expected an answer" : undefined;
}

export function zoneObjection(zone: string): string | undefined {
  return isTimeZone(zone) ? undefined : "expected an IANA name such as Europe/Berlin or UTC";
}

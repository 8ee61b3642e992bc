import type { Answers } from "./env-text.ts";
import type { Interview } from "../interview.ts";
import type { Preset } from "./preset.ts";
import { presets } from "./presets.ts";

/** Asks which ERP it is, by number or by name; undefined when nobody answers. */
export async function askPreset(interview: Interview): Promise<Preset | undefined> {
  const list = presets.map(({ name, title }, at) => `  ${String(at + 1).padStart(2)}  ${name.padEnd(16)} ${title}`);
  interview.say(`Which ERP leads?\n\n${list.join("\n")}\n`);
  const answer = await interview.ask({
    text: "Number or name",
    objection: (typed) => (presetOf(typed) ? undefined : `wanted a number from 1 to ${presets.length}, or a name`),
  });
  return answer === undefined ? undefined : presetOf(answer);
}

function presetOf(typed: string): Preset | undefined {
  return presets[Number(typed) - 1] ?? presets.find(({ name }) => name.toLowerCase() === typed.toLowerCase());
}

/** Asks for what `given` does not hold: the service, then the ERP's variables. Undefined when nobody answers. */
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
  if (!(await ask("SERVICE_URL", "Address of the service, like https://company.example", false, webAddress)))
    return undefined;
  const hasLogin = given.has("SERVICE_TOKEN") || given.has("SERVICE_USERNAME");
  const token = "Token of the service (Enter alone: log in with a user name)";
  if (!hasLogin && !(await ask("SERVICE_TOKEN", token, true))) return undefined;
  if ((answers.get("SERVICE_TOKEN") ?? "") === "") {
    if (!(await ask("SERVICE_USERNAME", "User name in the service", false, something))) return undefined;
    if (!(await ask("SERVICE_PASSWORD", "Password of that user", true, something))) return undefined;
  }
  for (const { name, about, example, isSecret } of preset.variables) {
    const text = `${about}${example === undefined ? "" : `, like ${example}`}`;
    if (!(await ask(name, text, isSecret ?? false))) return undefined;
  }
  return answers;
}

function webAddress(answer: string): string | undefined {
  return /^https?:\/\/[^\s/]+/.test(answer) ? undefined : "wanted an address that begins with https:// or http://";
}

function something(answer: string): string | undefined {
  return answer === "" ? "wanted an answer" : undefined;
}

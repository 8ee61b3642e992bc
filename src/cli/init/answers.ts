import { isSettingsKey, usualSyncFile } from "#settings";
import { Interview } from "../interview.ts";
import type { Io } from "../output/io.ts";
import { askPreset, askSettings, zoneObjection } from "./ask.ts";
import { askedKeys } from "./env-text.ts";
import { ownStreams } from "./own-streams.ts";
import { presetNames, readPresets, templateZone, type Preset } from "./presets.ts";
import { streamKinds } from "./tables/choice.ts";
import { tablesOf } from "./tables/given-tables.ts";

export interface AnswerOptions {
  readonly erp?: string;
  readonly serviceUrl?: string;
  /** `NAME=value`, as written to the env file, or `STREAM.PART=column`. */
  readonly set?: readonly string[];
  readonly timezone?: string;
  /** Asks nothing. */
  readonly yes?: boolean;
}

export interface Answered {
  readonly preset: Preset;
  readonly settings: ReadonlyMap<string, string>;
  readonly zone: string;
  /** True where the ERP's time zone matters and was not given. */
  readonly zoneIsGuessed: boolean;
  /** The sync file, with the time zone of the templates. */
  readonly syncFile: string;
  /** A sentence about where the sync file came from. */
  readonly said: string | undefined;
}

/** The answers from the options and the person; a sentence when they are not sufficient. */
export async function answers(options: AnswerOptions, io: Io): Promise<Answered | string> {
  const { tables, others: given } = tablesOf(givenSettings(options));
  const presets = readPresets();
  const wanted = presets.find(({ name }) => name === options.erp);
  const isAsking = !options.yes && io.stdin !== undefined;
  if (!isAsking && !wanted) return `--erp is missing; there are ${presetNames.join(", ")}.`;
  using interview = isAsking && io.stdin ? new Interview(io, io.stdin) : undefined;
  const preset = wanted ?? (interview && (await askPreset(interview, presets)));
  const refused = preset && objection(preset, given);
  if (refused !== undefined) return refused;
  const settings = preset && interview ? await askSettings(interview, preset, given) : given;
  const zone = preset && settings && (await zoneOf(preset, options, interview));
  if (!preset || !settings || zone === undefined) return unanswered;
  const streams = await ownStreams({ preset, settings, tables, interview, io });
  if (streams.kind === "unanswered") return unanswered;
  if (streams.kind === "refused") return streams.said;
  const syncFile = streams.kind === "own" ? streams.text : preset.syncFile;
  const said = streams.kind === "own" ? undefined : streams.said;
  const zoneIsGuessed = !interview && options.timezone === undefined && syncFile.includes(templateZone);
  return { preset, settings, zone, zoneIsGuessed, syncFile, said };
}

const unanswered = "Not all questions were answered; --yes asks none.";

function givenSettings(options: AnswerOptions): Map<string, string> {
  const given = new Map<string, string>();
  if (options.serviceUrl !== undefined) given.set("SERVICE_URL", options.serviceUrl);
  for (const setting of options.set ?? []) {
    const at = setting.indexOf("=");
    given.set(setting.slice(0, at), setting.slice(at + 1));
  }
  return given;
}

async function zoneOf(
  preset: Preset,
  { timezone }: AnswerOptions,
  interview: Interview | undefined,
): Promise<string | undefined> {
  const systemZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (timezone !== undefined) return timezone;
  if (!interview || !preset.syncFile.includes(templateZone)) return systemZone;
  return await interview.ask({
    text: "Time zone of the ERP's clock",
    fallback: systemZone,
    objection: zoneObjection,
  });
}

/** Refuses names that cannot be set: a misspelt name in the env file would have no effect. */
function objection(preset: Preset, given: ReadonlyMap<string, string>): string | undefined {
  if (given.has("SYNC_FILE"))
    return `--set SYNC_FILE: init writes ${usualSyncFile().path}; move it afterwards, and set it then.`;
  const names = askedKeys(preset);
  const unknown = [...given.keys()].filter((key) => !names.includes(key) && !isSettingsKey(key));
  if (unknown.length === 0) return undefined;
  const [name = ""] = unknown;
  if (name.includes(".")) {
    const [stream = ""] = name.split(".");
    return `--set ${name}: found the stream ${stream}, expected one of ${streamKinds.join(", ")}.`;
  }
  return `--set ${unknown.join(", ")}: for ${preset.name} there are ${names.join(", ")}, and the keys of .env.example.`;
}

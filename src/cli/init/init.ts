import { dirname } from "node:path";
import { schemaText } from "#mapping";
import { resourceNames } from "#service";
import { isSettingsKey } from "#settings";
import { adapters } from "#sources";
import { check } from "../check.ts";
import type { GlobalOptions } from "../command-context.ts";
import { failureCode, failureText } from "../failure-text.ts";
import { exitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { sampleSyncFile } from "./sample-sync-file.ts";
import { askPreset, askSettings } from "./ask.ts";
import { askedKeys, envText } from "./env-text.ts";
import { Interview } from "../interview.ts";
import { templateZone, type Preset } from "./preset.ts";
import { presets } from "./presets.ts";
import { isThere, readIfThere, writeFolders, writeWhole } from "./written-files.ts";

export interface InitOptions extends GlobalOptions {
  readonly erp?: string;
  readonly serviceUrl?: string;
  /** `NAME=value`, as it will stand in the env file. */
  readonly set?: readonly string[];
  readonly timezone?: string;
  readonly force?: boolean;
  /** Ask nothing: what is not given stays empty in the env file. */
  readonly yes?: boolean;
  /** False: write the files and end. */
  readonly check?: boolean;
}

const syncFile = "config/sync.yaml";
const schemaFile = "config/sync.schema.json";

/** `svcsync init`: asks which ERP it is, writes the env file and the sync file for it, and ends in `check`. */
export async function init(options: InitOptions, io: Io): Promise<number> {
  const envFile = options.envFile ?? ".env";
  const taken = options.force ? [] : await takenFiles(envFile);
  if (taken.length > 0) {
    io.stderr.write(
      `${taken.join(" and ")} would be overwritten: move it away, or say --force. Nothing was written.\n`,
    );
    return exitCode.usage;
  }
  const answered = await answers(options, io);
  if (typeof answered === "string") {
    io.stderr.write(`${answered} Nothing was written.\n`);
    return exitCode.usage;
  }
  const { preset, settings, zone, zoneIsGuessed } = answered;
  await writeFolders(dirname(envFile), dirname(syncFile));
  // Passwords: for this user alone.
  await writeWhole(envFile, envText(preset, settings), 0o600);
  await writeWhole(syncFile, preset.syncFile.replaceAll(templateZone, zone), 0o644);
  await writeWhole(schemaFile, schemaText(adapters, resourceNames), 0o644);
  io.stdout.write(`\n${envFile} and ${syncFile} are written for ${preset.title}.\n`);
  if (zoneIsGuessed)
    io.stdout.write(
      `The ERP's clock is taken to be in the zone ${zone}, this machine's: --timezone, or ${syncFile}, says otherwise.\n`,
    );
  const open = unanswered(preset, settings);
  if (open.length > 0) {
    io.stdout.write(
      `Still to be filled in in ${envFile}: ${open.join(", ")}. Then "svcsync check" goes on from here.\n`,
    );
    return options.check === false ? exitCode.ok : exitCode.settings;
  }
  if (options.check === false) return exitCode.ok;
  io.stdout.write("\nChecking …\n\n");
  const code = await checked(envFile, io);
  io.stdout.write(
    code === exitCode.ok
      ? '\nAll is there. "svcsync peek customers" shows what would be written, "svcsync run" begins.\n'
      : '\nCorrect what is named above, then "svcsync check" again.\n',
  );
  return code;
}

/** The check's exit code, also where it could not even begin. */
async function checked(envFile: string, io: Io): Promise<number> {
  try {
    return await check({ envFile, service: true }, io);
  } catch (thrown) {
    io.stderr.write(failureText(thrown));
    return failureCode(thrown);
  }
}

/** Files that hold somebody's work. The sync file of the sample, as it is shipped, is nobody's. */
async function takenFiles(envFile: string): Promise<string[]> {
  const sync = await readIfThere(syncFile);
  const taken = sync === undefined || sync === sampleSyncFile ? [] : [syncFile];
  return (await isThere(envFile)) ? [envFile, ...taken] : taken;
}

interface Answered {
  readonly preset: Preset;
  readonly settings: ReadonlyMap<string, string>;
  readonly zone: string;
  /** True where the ERP's zone matters and nobody named it. */
  readonly zoneIsGuessed: boolean;
}

/** What the options and the person say; a sentence when that is not enough. */
async function answers(options: InitOptions, io: Io): Promise<Answered | string> {
  const given = new Map<string, string>();
  if (options.serviceUrl !== undefined) given.set("SERVICE_URL", options.serviceUrl);
  for (const setting of options.set ?? []) {
    const at = setting.indexOf("=");
    given.set(setting.slice(0, at), setting.slice(at + 1));
  }
  const wanted = presets.find(({ name }) => name === options.erp);
  const systemZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (options.yes || !io.stdin) {
    if (!wanted) return `--erp is missing; there are ${presets.map(({ name }) => name).join(", ")}.`;
    const zoneIsGuessed = options.timezone === undefined && wanted.syncFile.includes(templateZone);
    const zone = options.timezone ?? systemZone;
    return objection(wanted, given) ?? { preset: wanted, settings: given, zone, zoneIsGuessed };
  }
  using interview = new Interview(io, io.stdin);
  const preset = wanted ?? (await askPreset(interview));
  const refused = preset && objection(preset, given);
  if (refused !== undefined) return refused;
  const settings = preset && (await askSettings(interview, preset, given));
  const usesZone = preset?.syncFile.includes(templateZone) ?? false;
  const zone =
    options.timezone ??
    (settings && usesZone
      ? await interview.ask({ text: "Time zone of the ERP's clock", fallback: systemZone, objection: zoneObjection })
      : systemZone);
  return preset && settings && zone !== undefined
    ? { preset, settings, zone, zoneIsGuessed: false }
    : "The questions were not answered to the end; --yes asks none.";
}

/** What cannot be set: a misspelt name would stand in the env file and set nothing. */
function objection(preset: Preset, given: ReadonlyMap<string, string>): string | undefined {
  if (given.has("SYNC_FILE")) return `--set SYNC_FILE: init writes ${syncFile}; move it afterwards, and set it then.`;
  const names = askedKeys(preset);
  const unknown = [...given.keys()].filter((key) => !names.includes(key) && !isSettingsKey(key));
  if (unknown.length === 0) return undefined;
  return `--set ${unknown.join(", ")}: for ${preset.name} there are ${names.join(", ")}, and the keys of .env.example.`;
}

function unanswered({ variables }: Preset, settings: ReadonlyMap<string, string>): string[] {
  const has = (name: string) => (settings.get(name) ?? "") !== "";
  const open = ["SERVICE_URL", ...variables.map(({ name }) => name)].filter((name) => !has(name));
  return has("SERVICE_TOKEN") || (has("SERVICE_USERNAME") && has("SERVICE_PASSWORD"))
    ? open
    : [...open, "SERVICE_TOKEN"];
}

export function zoneObjection(zone: string): string | undefined {
  try {
    Intl.DateTimeFormat("en", { timeZone: zone });
    return undefined;
  } catch {
    return "wanted an IANA name such as Europe/Berlin or UTC";
  }
}

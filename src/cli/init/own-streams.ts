import { errorFacts, systemClock } from "#model";
import { openSources, type Sources } from "#daemon";
import type { Catalog } from "#sources";
import { openLogger } from "#telemetry";
import type { Answers } from "./env-text.ts";
import type { Interview } from "../interview.ts";
import type { Io } from "../output/io.ts";
import { loadPreset, type Preset } from "./presets.ts";
import { askTables } from "./ask-tables.ts";
import { givenStreams, type GivenTables } from "./tables/given-tables.ts";
import { streamsText, type StreamChoice } from "./tables/streams-text.ts";

/** Codes of findings which mean that the ERP does not have the schema that the template maps. */
const otherSchema = ["E_SOURCE_TABLE", "E_SOURCE_COLUMN"];

/** Where the sync file's streams come from; `template`: from the preset. */
export type OwnStreams =
  | { readonly kind: "template"; readonly said?: string }
  | { readonly kind: "own"; readonly text: string }
  | { readonly kind: "refused"; readonly said: string }
  | { readonly kind: "unanswered" };

export interface OwnStreamsDeps {
  readonly preset: Preset;
  readonly settings: Answers;
  readonly tables: GivenTables;
  /** Undefined: asks nothing and writes only what is given. */
  readonly interview: Interview | undefined;
  readonly io: Io;
}

/** Finds the tables to map in the ERP, where the preset leaves them open. If anything fails, the template is used. */
export async function ownStreams(deps: OwnStreamsDeps): Promise<OwnStreams> {
  const { preset, settings, tables, interview, io } = deps;
  const names = [...tables.keys()];
  if (preset.ownHead === undefined) {
    if (names.length === 0) return { kind: "template" };
    return { kind: "refused", said: `--set ${names[0]}.table: the tables of ${preset.name} are fixed.` };
  }
  if (!interview && names.length === 0) return { kind: "template" };
  if (preset.variables.some(({ name }) => (settings.get(name) ?? "") === ""))
    return { kind: "template", said: `The tables cannot be listed without ${preset.variables[0]?.name}.` };
  try {
    await using sources = await opened(preset, settings, io);
    const catalog = [...sources.sources.values()][0]?.catalog;
    if (catalog === undefined) return { kind: "template" };
    if (names.length === 0 && catalog.of !== "files" && (await fitsTemplate(sources, catalog, io.signal)))
      return {
        kind: "template",
        said: "The database has the tables and keys of the template, which is used as it is.",
      };
    const choices = interview
      ? await askTables(interview, catalog, tables, io.signal)
      : await givenStreams(tables, catalog, io.signal);
    return written(preset, choices);
  } catch (thrown) {
    io.signal.throwIfAborted();
    const { message } = errorFacts(thrown);
    return { kind: "template", said: `The tables cannot be listed, so the template is written: ${message}.` };
  }
}

function written(preset: Preset, choices: readonly StreamChoice[] | string | undefined): OwnStreams {
  if (choices === undefined) return { kind: "unanswered" };
  if (typeof choices === "string") return { kind: "refused", said: choices };
  if (choices.length === 0) return { kind: "template", said: "No table was chosen, so the template is written." };
  return { kind: "own", text: `${preset.ownHead}${streamsText(choices)}` };
}

async function opened(preset: Preset, settings: Answers, io: Io): Promise<Sources> {
  const syncFile = loadPreset(preset, Object.fromEntries(settings));
  io.redaction.hide(...syncFile.secrets);
  const { redaction, stderr: destination } = io;
  const logger = openLogger({ level: "error", format: "pretty", secrets: redaction, destination });
  return await openSources(syncFile, { clock: systemClock, logger });
}

async function fitsTemplate({ streams }: Sources, catalog: Catalog, signal: AbortSignal): Promise<boolean> {
  if ((await catalog.tables(signal)).length === 0) return false;
  for (const stream of streams.values()) {
    const findings = await stream.check(signal);
    if (findings.some(({ code }) => code !== undefined && otherSchema.includes(code))) return false;
  }
  return true;
}

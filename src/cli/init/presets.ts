import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { loadSyncFile, type SyncFile } from "#mapping";
import { programFile } from "#model";
import { resourceNames } from "#service";
import { adapters } from "#sources";
import { VIEW_PREFIX } from "../views/contract.ts";

/** A value that the sync file takes from the environment as `${NAME}`. */
const variable = z.strictObject({
  name: z.string(),
  /** What to answer, for a person. */
  about: z.string(),
  /** An example of such a value. */
  example: z.string().optional(),
  /** Hidden while it is typed. */
  isSecret: z.literal(true).optional(),
  /** The address of a database: shown while it is typed; its password is asked for separately, hidden. */
  isDatabase: z.literal(true).optional(),
});

/** What `svcsync init` writes for one ERP. */
export interface Preset {
  /** The word after `--erp`. */
  readonly name: string;
  readonly title: string;
  /** Every `${NAME}` of the sync file, in the order of the questions. */
  readonly variables: readonly z.infer<typeof variable>[];
  /** The whole sync file. {@link templateZone} is a placeholder for the ERP's time zone. */
  readonly syncFile: string;
  /** The text before `streams:`, where the person chooses the tables. */
  readonly ownHead?: string;
  /** Whether the streams read the views of the contract, which have to be created first. */
  readonly readsViews?: true;
}

/** The time zone in the templates. It is a real one, so that each template is a valid sync file. */
export const templateZone = "Europe/Berlin";

/** The first lines of every generated sync file: where its words are explained, and what to look at first. */
function fileHead(title: string): string {
  return `# yaml-language-server: $schema=sync.schema.json
#
# What svcsync reads from ${title} and writes to the service. "svcsync init" wrote this file once; you can edit it now.
#
# - docs/sync-file.md explains every keyword. Secrets stay in the environment: \${NAME} comes from there.
# - Names of statuses and priorities (Active, Open, Normal …) must exist in the service: "svcsync check" reports those that
#   do not. "svcsync peek STREAM" shows rows as the ERP returns them and as this file maps them.
# - You can change this file safely: after a restart, every record is mapped again, and only fields that differ are sent.
`;
}

/** Follows the head where the tables are those of the sample ERP. */
const tablesOfSample = `#
# The tables and columns below are those of the sample ERP. Replace them by your own names. Or, better, create one view per
# stream with these names: then everything that is specific to your ERP is in one place, and each stream needs exactly the
# columns named here. A view needs a unique key that is never empty, and a stamp that changes whenever a row of any joined
# table changes.
`;

/** Follows the head where the tables are the views of the contract. */
const tablesOfViews = `#
# The views hide what is specific to the ERP. "svcsync views mssql" (postgres, mysql, sqlite) prints the statements that create
# them, and what they promise; docs/guides/views.md explains both.
`;

/**
 * Every ERP that `svcsync init` knows, in the order of its question. To add one, add its name here and a file in
 * `presets/`.
 */
export const presetNames = [
  "postgres",
  "mysql",
  "mssql",
  "sqlite",
  "views",
  "businessCentral",
  "s4hana",
  "businessOne",
  "odoo",
  "odoo18",
  "odooCommunity",
  "odoo18Community",
  "erpnext",
  "weclapp",
  "xentral",
  "dolibarr",
  "tryton",
  "ledgersmb",
  "odata",
  "rest",
  "files",
] as const;

/** Other common names of the presets. */
const otherNames: Readonly<Record<string, (typeof presetNames)[number]>> = {
  postgresql: "postgres",
  mariadb: "mysql",
  sqlserver: "mssql",
  csv: "files",
};

/** The preset that a name refers to; undefined for an unknown name. */
export function presetNamed(typed: string): string | undefined {
  const name = typed.toLowerCase();
  return presetNames.find((known) => known.toLowerCase() === name) ?? otherNames[name];
}

/** The first document of a preset's file. The second is the sync file below its head. */
const frontMatter = z.strictObject({
  title: z.string(),
  /** The ERP's name in the head of the sync file; the title by default. */
  subject: z.string().optional(),
  /** The person chooses the tables; the streams of the file itself are used where none are chosen. */
  ownTables: z.literal(true).optional(),
  /** The file whose streams are used below the source, where they are the same or the person chooses them. Streams of the own file replace those of the same name. */
  streams: z.string().optional(),
  /** What is different in the streams of that file: each text, by what replaces it. */
  edits: z.record(z.string(), z.string()).default({}),
  /** The streams read the views of the contract instead of the sample's tables, column by column. */
  views: z.literal(true).optional(),
  variables: z.array(variable),
});

/** Reads the presets, in the order of {@link presetNames}. */
export function readPresets(): readonly Preset[] {
  return presetNames.map(readPreset);
}

/**
 * The sync file of the sample ERP, as shipped in config/svcsync.yaml; a test compares the two. The demo uses this copy, so
 * that it works whatever a user did to the file. `svcsync init` uses it to tell whether the file is unchanged.
 */
export function readSampleSyncFile(): string {
  return textOf("sample");
}

/**
 * Loads the preset's sync file with these variables.
 * @throws {StopError} E_SYNC_FILE
 */
export function loadPreset({ syncFile }: Preset, environment: Readonly<Record<string, string>>): SyncFile {
  const options = { file: "config/svcsync.yaml", environment, adapters, resources: new Set(resourceNames) };
  return loadSyncFile(syncFile, options);
}

function readPreset(name: string): Preset {
  const [front = "", own = ""] = documentsOf(name);
  const { title, subject = title, streams, edits, ownTables, views, variables } = frontMatter.parse(parse(front));
  const head = fileHead(subject);
  if (ownTables) {
    const ownHead = `${head}\n${own.slice(0, own.indexOf("streams:\n"))}`;
    return { name, title, variables, syncFile: `${head}\n${own}`, ownHead };
  }
  if (streams === undefined) return { name, title, variables, syncFile: `${head}\n${own}` };
  const [source = "", ownStreams = ""] = own.split(/^streams:\n/m);
  const below = `\n${source.trimEnd()}\n\n`;
  const syncFile = `${below}streams:\n${edited(replaced(sharedStreams(streams), ownStreams), edits)}`;
  if (views) {
    const ofViews = syncFile.replaceAll("{ table: ", `{ table: ${VIEW_PREFIX}`);
    return { name, title, variables, syncFile: `${head}${tablesOfViews}${ofViews}`, readsViews: true };
  }
  if (streams !== "sample") return { name, title, variables, syncFile: `${head}${syncFile}` };
  return { name, title, variables, syncFile: `${head}${tablesOfSample}${syncFile}`, ownHead: `${head}${below}` };
}

/** The streams of another preset's file, with what that one replaces in those of a third. */
function sharedStreams(name: string): string {
  const documents = documentsOf(name);
  const streams = documents.length === 1 ? undefined : frontMatter.parse(parse(documents[0]!)).streams;
  const own = documents.at(-1)!.split(/^streams:\n/m)[1]!;
  return streams === undefined ? own : replaced(sharedStreams(streams), own);
}

const nameOf = (stream: string) => /^ {2}(\w+):$/m.exec(stream)![1]!;

/** The streams of `shared`, those of the same name in `own` instead. In both, an empty line is only between two streams. */
function replaced(shared: string, own: string): string {
  if (own === "") return shared;
  const byName = new Map(own.split("\n\n").map((stream) => [nameOf(stream), stream.trimEnd()]));
  const streams = shared.split("\n\n").map((stream) => byName.get(nameOf(stream)) ?? stream.trimEnd());
  return `${streams.join("\n\n")}\n`;
}

function edited(text: string, edits: Readonly<Record<string, string>>): string {
  return Object.entries(edits).reduce((now, [place, by]) => {
    if (!now.includes(place)) throw new Error(`the shared streams no longer say ${place}`);
    return now.replace(place, by);
  }, text);
}

function documentsOf(name: string): string[] {
  return textOf(name).split(/^---\n/m);
}

function textOf(name: string): string {
  return readFileSync(programFile(`cli/init/presets/${name}.yaml`), "utf8");
}

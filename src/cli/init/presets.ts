import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { fileHead, tablesOfSample, type Preset } from "./preset.ts";

/** Every ERP that `svcsync init` knows, in the order of its question. A name here and a file in `presets/` make another. */
export const presetNames = [
  "postgres",
  "mysql",
  "mssql",
  "sqlite",
  "businessCentral",
  "s4hana",
  "businessOne",
  "odoo",
  "odoo18",
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

/** The first document of a preset's file. The second is the sync file below its head. */
const frontMatter = z.strictObject({
  title: z.string(),
  /** What the head of the sync file calls the ERP; the title unless given. */
  subject: z.string().optional(),
  /** The file whose streams stand below the source, where the ERP's own are the same, or are the person's to choose. */
  streams: z.string().optional(),
  variables: z.array(
    z.strictObject({
      name: z.string(),
      about: z.string(),
      example: z.string().optional(),
      isSecret: z.literal(true).optional(),
      isDatabase: z.literal(true).optional(),
    }),
  ),
});

/** Reads the presets, in the order of {@link presetNames}. */
export function readPresets(): readonly Preset[] {
  return presetNames.map(readPreset);
}

/**
 * The sync file of the sample ERP, as it is shipped in config/sync.yaml; a test compares the two. The demo uses this copy, so
 * that it runs whatever a user has made of the file, and `svcsync init` tells by it whether the file is still the shipped one.
 */
export function readSampleSyncFile(): string {
  return textOf("sample");
}

function readPreset(name: string): Preset {
  const [front = "", own = ""] = documentsOf(name);
  const { title, subject = title, streams, variables } = frontMatter.parse(parse(front));
  const head = fileHead(subject);
  if (streams === undefined) return { name, title, variables, syncFile: `${head}\n${own}` };
  const shared = documentsOf(streams).at(-1)!;
  const below = `\n${own}\n`;
  const syncFile = `${below}${shared.slice(shared.indexOf("streams:\n"))}`;
  if (streams !== "sample") return { name, title, variables, syncFile: `${head}${syncFile}` };
  return { name, title, variables, syncFile: `${head}${tablesOfSample}${syncFile}`, ownHead: `${head}${below}` };
}

function documentsOf(name: string): string[] {
  return textOf(name).split(/^---\n/m);
}

function textOf(name: string): string {
  return readFileSync(new URL(`presets/${name}.yaml`, import.meta.url), "utf8");
}

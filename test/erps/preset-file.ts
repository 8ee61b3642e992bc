// The presets are inside their module: its index shows commands alone.
import { readPresets } from "../../src/cli/init/presets.ts";

/** The sync file that `svcsync init` writes for this ERP. */
export function presetFile(name: string): string {
  const preset = readPresets().find((preset) => preset.name === name);
  if (preset === undefined) throw new Error(`there is no preset ${name}`);
  return preset.syncFile;
}

/** The same with one place edited, which must be there. */
export function edited(text: string, place: string, by: string): string {
  if (!text.includes(place)) throw new Error(`the preset no longer says ${place}`);
  return text.replaceAll(place, by);
}

export { init, type InitOptions } from "./init.ts";
export { zoneObjection } from "./ask.ts";
export { presetNames, readSampleSyncFile } from "./presets.ts";

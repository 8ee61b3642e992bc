export { init, type InitOptions } from "./init.ts";
export { zoneObjection } from "./ask.ts";
export { presets } from "./presets.ts";
export { sampleSyncFile } from "./sample-sync-file.ts";

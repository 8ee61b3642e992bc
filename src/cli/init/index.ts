export { init, zoneObjection, type InitOptions } from "./init.ts";
export { presets } from "./presets.ts";
export { sampleSyncFile } from "./sample-sync-file.ts";

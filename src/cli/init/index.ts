export { registerInit } from "./init.ts";
export { readSampleSyncFile } from "./presets.ts";

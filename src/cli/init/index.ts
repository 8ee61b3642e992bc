export { init, zoneObjection, type InitOptions } from "./init.ts";
export { presets } from "./presets.ts";

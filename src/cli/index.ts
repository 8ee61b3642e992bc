export { runCommand } from "./program.ts";
export { stopSignals } from "./stop-signals.ts";
export type { Io } from "./output/io.ts";

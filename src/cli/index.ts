export { runCommand } from "./program.ts";
export type { Io } from "./output/io.ts";

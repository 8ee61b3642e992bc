export { runCommand } from "./program.ts";
export type { Io } from "./io.ts";

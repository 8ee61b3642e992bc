import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/**
 * The environment of a test's own child process that runs a TypeScript file. Node.js strips the types itself, so no loader is needed,
 * and what the first child compiles serves all that follow.
 */
export const scriptEnvironment = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compiled"),
} as const;

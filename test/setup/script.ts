import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Node.js 22 knows no `await using`; tsx lowers it. */
const loader = Number.parseInt(process.versions.node, 10) < 24 ? `--import ${import.meta.resolve("tsx")}` : undefined;

/**
 * The environment of a test's own child process that runs a TypeScript file. From 24 on Node.js strips the types itself, so no loader is
 * needed, and what the first child compiles serves all that follow.
 */
export const scriptEnvironment = {
  PATH: process.env["PATH"],
  NODE_OPTIONS: loader,
  NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compiled"),
} as const;

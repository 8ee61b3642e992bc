import { resolve } from "node:path";
import { baseOf, workingEngine } from "./engine.ts";

// For test/container.sh: prints the engine that runs containers of the base, or ends with 1 and one sentence why there is none.
const { CONTAINER_BASE, CONTAINER_ENGINE } = process.env;
const base = CONTAINER_BASE || baseOf(resolve(import.meta.dirname, "../.."));
const found = await workingEngine({ base, program: CONTAINER_ENGINE, isForAll: false });
process.stdout.write(typeof found === "string" ? `${found}\n` : `${found.program} ${found.base}\n`);
process.exitCode = typeof found === "string" ? 1 : 0;

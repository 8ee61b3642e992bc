import { readFileSync } from "node:fs";
import { z } from "zod";

const manifest = new URL("../../package.json", import.meta.url);

/** The version in package.json, which is two folders above both src/telemetry and dist/telemetry. */
export const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(manifest, "utf8")));

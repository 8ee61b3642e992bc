import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { release, ReleaseRefused } from "./release.ts";

// Builds a release of the commit that is checked out: npm run release -- --dry-run --out /tmp/release
// What belongs to the owner comes from the environment: COSIGN_KEY, RELEASE_REPOSITORY, RELEASE_BUILDER, RELEASE_SCHEMA_URL.
// The image is built where an engine runs: CONTAINER_ENGINE and CONTAINER_BASE choose it and its base, CONTAINER_REQUIRED=1 refuses to do without.
const root = resolve(import.meta.dirname, "../..");
const { values } = parseArgs({ options: { "dry-run": { type: "boolean" }, out: { type: "string" } } });
const { COSIGN_KEY, RELEASE_REPOSITORY, RELEASE_BUILDER, RELEASE_SCHEMA_URL } = process.env;
const { CONTAINER_BASE, CONTAINER_ENGINE, CONTAINER_REQUIRED } = process.env;
const say = (line: string) => process.stdout.write(`${line}\n`);
try {
  await release({
    root,
    out: resolve(values.out ?? "release"),
    isDryRun: values["dry-run"] === true,
    cosignKey: COSIGN_KEY,
    repository: RELEASE_REPOSITORY,
    builder: RELEASE_BUILDER,
    schemaUrl: RELEASE_SCHEMA_URL,
    imageBase: CONTAINER_BASE,
    engine: CONTAINER_ENGINE,
    isImageRequired: CONTAINER_REQUIRED === "1",
    say,
  });
} catch (thrown) {
  if (!(thrown instanceof ReleaseRefused)) throw thrown;
  process.stderr.write(`${thrown.message}\n`);
  process.exitCode = 1;
}

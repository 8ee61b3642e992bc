import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { billOfMaterials } from "./bill.ts";
import { linesOf, writeImages } from "./image.ts";
import { noticesOf, noticesText } from "./notices.ts";
import { checksumsText, digestsOf, provenanceOf } from "./provenance.ts";
import { reasonOf } from "./reason.ts";
import { refusalsOf } from "./refusals.ts";
import { signFile } from "./sign.ts";

const run = promisify(execFile);
const versioned = z.object({ version: z.string() });

export interface ReleaseOptions {
  /** The repository. */
  readonly root: string;
  /** The folder that the release is written to: new or empty. */
  readonly out: string;
  readonly isDryRun: boolean;
  /** A private key of cosign; undefined: nothing is signed. */
  readonly cosignKey: string | undefined;
  readonly repository: string | undefined;
  readonly builder: string | undefined;
  /** The address of the folder that publishes the schema. */
  readonly schemaUrl: string | undefined;
  /** The base of the image and the engine that builds it; undefined or empty: the Dockerfile's, and the first that works. */
  readonly imageBase: string | undefined;
  readonly engine: string | undefined;
  /** Whether a release without an image is refused. */
  readonly isImageRequired: boolean;
  /** Is given one line a step. */
  readonly say: (line: string) => void;
}

/** A release that may not be built, or a step of it that failed: the message says why and what to do. */
export class ReleaseRefused extends Error {}

/**
 * Builds a release of the commit that is checked out into `out`: all of it, or nothing. The tag is set last, and not in a dry run.
 * @throws {ReleaseRefused} before the build when the repository is not ready, and later when a step fails; `out` is then untouched.
 */
export async function release(options: ReleaseOptions): Promise<void> {
  const { root, out, isDryRun, say } = options;
  const { version } = versioned.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  const refusals = refusalsOf({
    version,
    isDryRun,
    lockedVersion: versioned.parse(JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"))).version,
    changelog: await readFile(join(root, "CHANGELOG.md"), "utf8"),
    changedFiles: await git(root, "status", "--porcelain"),
    inFolder: await readdir(out).catch(() => []),
    tags: (await git(root, "tag")).split("\n"),
  });
  if (refusals.length > 0) throw new ReleaseRefused(refusals.join("\n"));
  const commit = (await git(root, "rev-parse", "HEAD")).trim();
  const startedAt = new Date();
  await mkdir(dirname(out), { recursive: true });
  const unfinished = await mkdtemp(`${out}.unfinished-`);
  try {
    for (const [name, step] of steps) {
      const before = performance.now();
      await step({ ...options, version, commit, folder: unfinished }).catch((thrown: unknown) => {
        throw new ReleaseRefused(`${name} failed: ${reasonOf(thrown)} No release was written.`, { cause: thrown });
      });
      say(`${name.padEnd(28)}${((performance.now() - before) / 1000).toFixed(1).padStart(7)} s`);
    }
    const digests = digestsOf(unfinished, (await readdir(unfinished)).toSorted());
    const { repository, builder } = options;
    const provenance = provenanceOf(digests, {
      version,
      commit,
      repository,
      builder,
      startedAt,
      finishedAt: new Date(),
    });
    await writeFile(join(unfinished, "provenance.json"), `${JSON.stringify(provenance, undefined, 2)}\n`);
    const all = digestsOf(unfinished, (await readdir(unfinished)).toSorted());
    await writeFile(join(unfinished, "SHA256SUMS"), checksumsText(all));
    await sign(options, unfinished);
    // mkdtemp makes it for its owner alone, and a release is there to be published.
    await chmod(unfinished, 0o755);
    await rm(out, { recursive: true, force: true });
    await rename(unfinished, out);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  for (const name of (await readdir(out)).toSorted())
    say(`${name.padEnd(40)}${String((await stat(join(out, name))).size).padStart(12)} bytes`);
  if (isDryRun) say(`Dry run: no tag was set. The release would be v${version} of ${commit}.`);
  else {
    await git(root, "tag", "--annotate", `v${version}`, "--message", `svcsync ${version}`);
    say(`Tagged v${version}. Push it: git push origin v${version}`);
  }
}

interface StepContext extends ReleaseOptions {
  readonly version: string;
  readonly commit: string;
  readonly folder: string;
}

const steps: readonly (readonly [string, (context: StepContext) => Promise<void>])[] = [
  ["build", build],
  ["package", pack],
  ["smoke test of the package", smokePackage],
  ["schema of the sync file", writeSchema],
  ["notices", writeNotices],
  ["bill of materials", writeBill],
  ["files for deployment", copyDeployment],
  ["site of the documents", writeSite],
  ["image", writeImage],
];

async function build({ root, commit }: StepContext): Promise<void> {
  await run("npm", ["run", "--silent", "build"], { cwd: root, env: { ...process.env, SVCSYNC_COMMIT: commit } });
}

async function pack({ root, folder, version }: StepContext): Promise<void> {
  await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], { cwd: root });
  if (!(await readdir(folder)).includes(packageFile(version)))
    throw new Error(`npm pack wrote no ${packageFile(version)}.`);
  // npm packs none: without it, libraries would be installed that nobody has tried with this version.
  await cp(join(root, lockFile), join(folder, lockFile));
}

/** Installs the package with what the lock file pins, in an empty folder, and syncs the sample ERP with the simulated service. */
async function smokePackage({ folder, version, commit }: StepContext): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), "svcsync-release-"));
  try {
    await run("tar", ["-xzf", join(folder, packageFile(version)), "-C", place, "--strip-components=1"]);
    await cp(join(folder, lockFile), join(place, lockFile));
    await run("npm", ["ci", "--omit=dev", "--omit=optional", "--ignore-scripts", "--silent"], { cwd: place });
    const main = join(place, "dist", "main.js");
    const { stdout } = await run(process.execPath, [main, "--version"], { cwd: place });
    const expected = `${version} (${commit.slice(0, 12)})`;
    if (stdout.trim() !== expected) throw new Error(`the package says "${stdout.trim()}", expected "${expected}".`);
    await run(process.execPath, [main, "demo"], { cwd: place, maxBuffer: 64 * 2 ** 20 });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function writeSchema({ root, folder, version, schemaUrl }: StepContext): Promise<void> {
  const { stdout } = await run(process.execPath, ["dist/main.js", "schema"], { cwd: root, maxBuffer: 64 * 2 ** 20 });
  if (stdout !== (await readFile(join(root, "config/sync.schema.json"), "utf8")))
    throw new Error('config/sync.schema.json is not what the program prints: run "npm run schema" and commit it.');
  const name = `sync.schema-${version}.json`;
  await writeFile(join(folder, name), stdout);
  await writeFile(
    join(folder, "schemastore.json"),
    `${JSON.stringify(catalogueEntry(schemaUrl, name), undefined, 2)}\n`,
  );
}

/** An entry of the catalogue of SchemaStore (https://www.schemastore.org), by which editors find the schema of a file by its name. */
export function catalogueEntry(schemaUrl: string | undefined, name: string): unknown {
  return {
    name: "svcsync sync file",
    description: "What svcsync reads from an ERP and writes into the service",
    fileMatch: ["svcsync.yaml", "svcsync.yml", "**/svcsync/sync.yaml"],
    url: new URL(name, schemaUrl ?? "https://example.com/set-RELEASE_SCHEMA_URL/").href,
  };
}

async function writeNotices({ root, folder }: StepContext): Promise<void> {
  await writeFile(join(folder, "THIRD-PARTY-NOTICES.txt"), noticesText(noticesOf(root)));
}

async function writeBill({ root, folder, version }: StepContext): Promise<void> {
  await writeFile(join(folder, `svcsync-${version}.cdx.json`), billOfMaterials(root));
}

async function copyDeployment({ root, folder, version }: StepContext): Promise<void> {
  await run("tar", ["-czf", join(folder, `svcsync-chart-${version}.tgz`), "-C", join(root, "deploy/helm"), "svcsync"]);
  // A name that begins with a dot would be hidden beside the others.
  await cp(join(root, ".env.example"), join(folder, "env.example"));
  for (const name of ["compose.yaml", "compose.replicas.yaml"]) await cp(join(root, name), join(folder, name));
  await cp(join(root, "deploy/release/docker-bake.json"), join(folder, "docker-bake.json"));
  await cp(join(root, "deploy/kubernetes/svcsync.yaml"), join(folder, "kubernetes.yaml"));
  await cp(join(root, "deploy/kubernetes/svcsync-replicas.yaml"), join(folder, "kubernetes-replicas.yaml"));
}

/** The site as a web server serves it, and apart from it what an assistant reads first. */
async function writeSite({ root, folder, version }: StepContext): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), "svcsync-site-"));
  try {
    await run("npm", ["run", "--silent", "docs:site", "--", "--out", place], { cwd: root });
    await run("tar", ["-czf", join(folder, `svcsync-site-${version}.tgz`), "-C", place, "."]);
    await cp(join(place, "llms.txt"), join(folder, "llms.txt"));
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function writeImage(context: StepContext): Promise<void> {
  const { imageBase, engine, isImageRequired, say } = context;
  const report = await writeImages({ ...context, base: imageBase, program: engine });
  const lines = linesOf(report);
  if (isImageRequired && report.images.length === 0) throw new Error(lines.join("\n"));
  for (const line of lines) say(line);
}

/** The checksums are signed, and with them every file. */
async function sign({ cosignKey, say }: ReleaseOptions, folder: string): Promise<void> {
  if (cosignKey === undefined) return say("Not signed: set COSIGN_KEY to a private key of cosign.");
  await signFile(join(folder, "SHA256SUMS"), cosignKey).catch((thrown: unknown) => {
    throw new ReleaseRefused(`cosign (3 or newer) did not sign: ${reasonOf(thrown)} No release was written.`, {
      cause: thrown,
    });
  });
}

const lockFile = "package-lock.json";
const packageFile = (version: string) => `svcsync-${version}.tgz`;

async function git(root: string, ...words: readonly string[]): Promise<string> {
  return (await run("git", words, { cwd: root })).stdout;
}

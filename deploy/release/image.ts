import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { baseOf, releasedPlatforms, workingEngine, type Engine } from "./engine.ts";
import { reasonOf } from "./reason.ts";

const run = promisify(execFile);
const minute = 60_000;
/** Longer than a build takes on an emulated processor. */
const buildLimit = 60 * minute;

/** What `image.json` of a release holds. */
export interface ImageReport {
  readonly base: string;
  readonly images: readonly BuiltImage[];
  /** By platform: why there is no image for it. */
  readonly notBuilt: Readonly<Record<string, string>>;
}

export interface BuiltImage {
  readonly platform: string;
  /** An OCI archive in the folder of the release. */
  readonly file: string;
  /** Of the image's manifest, as a registry shows it. */
  readonly digest: string;
}

export interface ImageWish {
  readonly root: string;
  readonly folder: string;
  readonly version: string;
  readonly commit: string;
  /** Empty or undefined: what the Dockerfile names. */
  readonly base: string | undefined;
  readonly program: string | undefined;
}

/**
 * Builds the image for this machine's platform, and for the other one of a release where an emulator runs it; tries the first one as
 * `npm run test:container` does, and writes each as an OCI archive into `folder`, with `image.json`. Where no engine runs containers of the
 * base, or the build fails for want of something outside, only the reason is written.
 * @throws {Error} when an image was built and does not hold what it promises.
 */
export async function writeImages(wish: ImageWish): Promise<ImageReport> {
  const base = wish.base || baseOf(wish.root);
  const engine = await workingEngine({ base, program: wish.program, isForAll: true });
  const images: BuiltImage[] = [];
  const notBuilt: Record<string, string> = {};
  for (const platform of releasedPlatforms) {
    const isHere = typeof engine !== "string" && engine.platforms.includes(platform);
    const made = isHere ? await imageFor(wish, engine, platform) : reasonAgainst(engine, platform);
    if (typeof made === "string") notBuilt[platform] = made;
    else images.push(made);
  }
  const report = { base, images, notBuilt };
  await writeFile(join(wish.folder, "image.json"), `${JSON.stringify(report, undefined, 2)}\n`);
  return report;
}

function reasonAgainst(engine: Engine | string, platform: string): string {
  return typeof engine === "string" ? engine : (engine.refused[platform] ?? `${engine.program} was not asked for it`);
}

async function imageFor(wish: ImageWish, engine: Engine, platform: string): Promise<BuiltImage | string> {
  const { root, folder, version } = wish;
  const { program } = engine;
  const architecture = platform.slice(platform.indexOf("/") + 1);
  const name = `localhost/svcsync-release:${version}-${architecture}`;
  const failed = await run(program, await buildWords(wish, engine, platform, name), quiet(root)).then(
    () => undefined,
    (thrown: unknown) => `its build failed: ${reasonOf(thrown)}`,
  );
  if (failed !== undefined) return failed;
  try {
    // An emulated processor is too slow for the waits of a whole round; the build ran the program, the store and the queue there.
    if (platform === engine.platforms[0])
      await run("test/container.sh", [], {
        ...quiet(root),
        env: { ...process.env, IMAGE: name, CONTAINER_ENGINE: program },
      });
    const file = `svcsync-${version}-image-${architecture}.tar`;
    const format = program === "podman" ? ["--format", "oci-archive"] : [];
    await run(program, ["save", ...format, "--output", join(folder, file), name], quiet(root));
    return { platform, file, digest: await digestIn(join(folder, file)) };
  } finally {
    await run(program, ["image", "rm", "--force", name], quiet(root)).catch(() => undefined);
  }
}

const quiet = (cwd: string) => ({ cwd, timeout: buildLimit, maxBuffer: 64 * 2 ** 20, encoding: "utf8" as const });

async function buildWords(
  { root, version, commit }: ImageWish,
  { program, base }: Engine,
  platform: string,
  name: string,
): Promise<string[]> {
  // The commit's time, not the build's: the label then says the same of every build of the commit.
  const { stdout: created } = await run("git", ["show", "--no-patch", "--format=%cI", commit], { cwd: root });
  const values = { NODE: base, VERSION: version, REVISION: commit, CREATED: created.trim() };
  return [
    "build",
    // Podman's own format has no health check; neither has an OCI archive that it saves.
    ...(program === "podman" ? ["--format", "docker"] : []),
    "--platform",
    platform,
    "--tag",
    name,
    ...Object.entries(values).flatMap(([key, value]) => ["--build-arg", `${key}=${value}`]),
    ".",
  ];
}

const index = z.object({ manifests: z.array(z.object({ digest: z.string() })).min(1) });

/** Of the first image of the archive. */
async function digestIn(archive: string): Promise<string> {
  const { stdout } = await run("tar", ["-xOf", archive, "index.json"]).catch((thrown: unknown) => {
    throw new Error(`${archive} is no OCI archive; Docker writes one from version 25 on.`, { cause: thrown });
  });
  return index.parse(JSON.parse(stdout)).manifests[0]!.digest;
}

/** For the output of a release, one line a platform. */
export function linesOf({ images, notBuilt }: ImageReport): readonly string[] {
  return [
    ...images.map(({ platform, file, digest }) => `image ${platform}: ${file}, ${digest}`),
    ...Object.entries(notBuilt).map(([platform, reason]) => `image ${platform}: not built, because ${reason}`),
  ];
}

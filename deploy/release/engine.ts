import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { reasonOf } from "./reason.ts";

const run = promisify(execFile);

/** A container engine that was seen to run containers of the base. */
export interface Engine {
  readonly program: "docker" | "podman";
  readonly base: string;
  /** The platforms whose containers run here, this machine's first: linux/amd64. */
  readonly platforms: readonly [string, ...string[]];
  /** The other platforms that were asked for: why their containers do not run here. */
  readonly refused: Readonly<Record<string, string>>;
}

export interface EngineWish {
  /** The base of the image: what the Dockerfile names, a mirror of it, or a stand-in. */
  readonly base: string;
  /** Only this program is tried; undefined or empty: docker, then podman. */
  readonly program: string | undefined;
  /** Also look for the other platform of a release, which needs an emulator (binfmt) and the base for it. */
  readonly isForAll: boolean;
  /** Shortens the waits for an engine that hangs; 1 if undefined. */
  readonly patience?: number;
}

/** The longest that each may take, in milliseconds: a program that hangs has failed. */
const longest = { answer: 30_000, run: 120_000, pull: 300_000 };

/** What an engine has to do before it is trusted with a build. */
const steps = (base: string, platform: string): readonly { what: string; words: readonly string[] }[] => [
  {
    what: `does not run ${platform} containers with the limits of the smoke test`,
    words: ["run", "--rm", "--platform", platform, ...smokeLimits, base, "node", "--version"],
  },
  {
    what: `does not let ${platform} containers reach the npm registry`,
    words: ["run", "--rm", "--platform", platform, base, "npm", "ping"],
  },
  {
    what: `does not let ${platform} containers reach the package lists of Debian`,
    words: [
      "run",
      "--rm",
      "--platform",
      platform,
      base,
      "apt-get",
      "-qq",
      "-o",
      "APT::Update::Error-Mode=any",
      "update",
    ],
  },
];

const smokeLimits =
  "--network none --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --memory 256m".split(" ");

/** The base that the Dockerfile names. */
export function baseOf(root: string): string {
  const base = /^ARG NODE=(\S+)$/m.exec(readFileSync(join(root, "Dockerfile"), "utf8"))?.[1];
  if (base === undefined) throw new Error("the Dockerfile has no line ARG NODE=IMAGE.");
  return base;
}

/**
 * The first engine that runs a container of the base, or one sentence that says why there is none. An engine may be installed and still run
 * nothing, so it is tried, with the limits that the smoke test sets; nothing is built. Ends within minutes, even if an engine hangs.
 */
export async function workingEngine(wish: EngineWish): Promise<Engine | string> {
  const programs = (["docker", "podman"] as const).filter((one) => !wish.program || one === wish.program);
  const reasons: string[] = [];
  for (const program of programs) {
    const own = `linux/${process.arch === "x64" ? "amd64" : process.arch}`;
    const reason = (await silent(program, wish)) ?? (await failing(program, wish, own));
    if (reason === undefined) return withOthers({ program, base: wish.base, platforms: [own], refused: {} }, wish);
    reasons.push(reason);
  }
  return reasons.join("; ") || `${wish.program} is not an engine that is known here: docker or podman`;
}

/** With the platforms of a release that are not this machine's, where they can be built and run here all the same. */
async function withOthers(engine: Engine, wish: EngineWish): Promise<Engine> {
  let found = engine;
  for (const platform of wish.isForAll ? releasedPlatforms : []) {
    if (engine.platforms.includes(platform)) continue;
    const reason = await failing(engine.program, wish, platform);
    found =
      reason === undefined
        ? { ...found, platforms: [...found.platforms, platform] }
        : { ...found, refused: { ...found.refused, [platform]: reason } };
  }
  return found;
}

/** The platforms that docker-bake.json builds. */
export const releasedPlatforms: readonly string[] = ["linux/amd64", "linux/arm64"];

/** Why the program answers nothing at all. */
async function silent(program: string, { patience = 1 }: EngineWish): Promise<string | undefined> {
  const info = await attempt(program, ["info"], longest.answer * patience);
  if (info === undefined) return undefined;
  return info.isMissing ? `${program} is not installed` : `${program} is installed, but answers nothing (${info.said})`;
}

/** Why the program cannot be used for the platform. */
async function failing(
  program: string,
  { base, patience = 1 }: EngineWish,
  platform: string,
): Promise<string | undefined> {
  if (!(await holds(program, base, platform))) {
    const pulled = await attempt(program, ["pull", "--quiet", "--platform", platform, base], longest.pull * patience);
    if (pulled !== undefined) return `${program} cannot get the base ${base} for ${platform} (${pulled.said})`;
  }
  for (const { what, words } of steps(base, platform)) {
    const failed = await attempt(program, words, longest.run * patience);
    if (failed !== undefined) return `${program} ${what} (${failed.said})`;
  }
  return undefined;
}

/** Whether the base is here for the platform: then no registry is asked, which a stand-in is in none of. */
async function holds(program: string, base: string, platform: string): Promise<boolean> {
  const words = ["image", "inspect", "--format", "{{.Os}}/{{.Architecture}}", base];
  return run(program, words, { timeout: longest.answer, killSignal: "SIGKILL" }).then(
    ({ stdout }) => stdout.trim() === platform,
    () => false,
  );
}

interface Failed {
  readonly isMissing: boolean;
  /** In one line. */
  readonly said: string;
}

/** Undefined if the program ended well within the limit. */
async function attempt(program: string, words: readonly string[], limit: number): Promise<Failed | undefined> {
  return run(program, words, { timeout: limit, killSignal: "SIGKILL" }).then(
    () => undefined,
    (thrown: NodeJS.ErrnoException & { killed?: boolean }) => ({
      isMissing: thrown.code === "ENOENT",
      said: thrown.killed === true ? `no end within ${limit / 1000} s` : reasonOf(thrown).replaceAll(/\s+/g, " "),
    }),
  );
}

import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { DEFAULT_TOKEN } from "#sandbox";
import { exitCode } from "../../src/cli/output/io.ts";
import { readDocuments } from "../architecture/documents.ts";
import { openScene, runCaptured, type Ran, type Scene } from "../cli/scene.ts";

const run = promisify(execFile);

/** Done, or something waits for a person or for time: the commands of the guides end in nothing else. */
const answered: readonly number[] = [exitCode.ok, exitCode.needsPerson, exitCode.again, exitCode.changes];

/** In the order in which an installation meets them. */
const order = [
  "installation",
  "adopting",
  "troubleshooting",
  "changing-a-mapping",
  "upgrading",
  "backup",
  "moving",
  "sizing",
  "security",
  "replicas",
];

const commands = readDocuments("docs/guides")
  .flatMap(({ path, text }) => commandsOf(text).map((line) => ({ guide: path.replace(/^.*\/|\.md$/g, ""), line })))
  .toSorted((one, other) => order.indexOf(one.guide) - order.indexOf(other.guide));

/** The lines of a guide's `sh` blocks. */
function commandsOf(text: string): string[] {
  return [...text.matchAll(/^( *)```sh\n(.*?)^\1```/gms)].flatMap(([, indent = "", block = ""]) =>
    block
      .split("\n")
      .map((line) => line.slice(indent.length))
      .filter((line) => line !== ""),
  );
}

let scene: Scene;
const home = process.cwd();
beforeAll(async () => {
  scene = await openScene();
  await mkdir(join(scene.folder, "config"));
  // The service has one of the customers before svcsync comes.
  scene.sandbox.seed("customer", [{ customerId: "10001", name: "Muster" }]);
  process.chdir(scene.folder);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  process.chdir(home);
  await scene[Symbol.asyncDispose]();
});

/** Runs one line as a reader types it; svcsync in this process, which is faster. */
async function typed(line: string): Promise<Ran> {
  const words = line.match(/"[^"]*"|\S+/g)?.map((word) => word.replace(/^"(.*)"$/, "$1")) ?? [];
  const settings = words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split("="));
  const [program, ...argv] = words.slice(settings.length);
  if (program !== "svcsync") return { code: 0, ...(await run("sh", ["-euc", line], { cwd: scene.folder })) };
  for (const [name = "", value = ""] of settings) vi.stubEnv(name, value);
  try {
    if (argv[0] === "init") return await initialized();
    if (argv[0] === "run") return await runUntilRead();
    // A person confirms what cannot be taken back.
    return argv[0] === "unbind"
      ? await runCaptured(argv, { stdin: Readable.from(["yes\n"]), isTerminal: true })
      : await runCaptured(argv);
  } finally {
    vi.unstubAllEnvs();
  }
}

/** Answers what init asks, then leaves the settings of the scene. */
async function initialized(): Promise<Ran> {
  const answers = ["sqlite", scene.sandbox.url, DEFAULT_TOKEN, `sqlite:${scene.erp.path}`, "UTC"];
  const settings = await readFile(scene.envFile, "utf8");
  vi.stubEnv("QUEUE_URL", /QUEUE_URL='(.*)'/.exec(settings)?.[1]);
  const ran = await runCaptured(["init"], { stdin: Readable.from(answers.map((answer) => `${answer}\n`)) });
  await writeFile(join(scene.folder, ".env"), settings.replace(/^SYNC_FILE=.*\n/m, ""));
  return ran;
}

/** The daemon, stopped once it has read a new customer. */
async function runUntilRead(): Promise<Ran> {
  const stop = new AbortController();
  scene.erp.insertCustomer({ customer_no: "10077", name1: "Neu" });
  const running = runCaptured(["run"], { signal: stop.signal });
  await vi.waitFor(async () => expect((await runCaptured(["explain", "customers/10077"])).code).toBe(0), 120_000);
  stop.abort();
  return await running;
}

describe("the guides", () => {
  it("are all in the order that this test runs them in", () => {
    const guides = new Set(commands.map(({ guide }) => guide));
    expect([...guides].toSorted()).toEqual(order.toSorted());
  });

  it.each(commands)("have a command that works in $guide: $line", async ({ line }) => {
    const { code, stdout, stderr } = await typed(line);
    expect(answered, `${line}\n${stdout}${stderr}`).toContain(code);
  });

  it("lead to a service that holds each customer once", () => {
    const numbers = scene.sandbox.records("customer").map(({ customerId }) => customerId);
    expect(new Set(numbers)).toEqual(new Set(["10001", "10002", "10077"]));
    expect(numbers).toHaveLength(3);
  });
});

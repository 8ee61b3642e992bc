import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const run = promisify(execFile);
const module = new URL("./debian-packages.ts", import.meta.url).href;

/** A machine in a folder: an apt-get that notes what it is asked for and whether services may start, and waits for `go`. */
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-apt-"));
  await mkdir(join(folder, "bin"));
  const aptGet = `#!/bin/sh
    for word in "$@"; do last=$word; done
    if [ -e '${place("policy")}' ]; then '${place("policy")}'; may=$?; else may=0; fi
    echo "$last $may" >>'${place("asked")}'
    if [ "$last" = missing ] || [ "$last" = update ]; then exit 100; fi
    if [ "$last" = slow ]; then : >'${place("begun")}'; while [ ! -e '${place("go")}' ]; do sleep 0.02; done; fi
    echo done >>'${place("asked")}'
  `;
  await writeFile(place("bin/apt-get"), aptGet, { mode: 0o755 });
});
afterEach(() => rm(folder, { recursive: true }));

const place = (name: string) => join(folder, name);
const asked = async () => (await readFile(place("asked"), "utf8")).trimEnd().split("\n");
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

const argumentsFor = (name: string) => {
  const files = JSON.stringify({ servicePolicy: place("policy"), lock: place("lock") });
  const code = `const { installPackages } = await import("${module}"); await installPackages(["${name}"], ${files});`;
  return ["--import", "tsx", "--input-type=module", "--eval", code];
};
const environment = () => ({ ...process.env, PATH: [place("bin"), process.env["PATH"]].join(delimiter) });
const install = (name: string) => run(process.execPath, argumentsFor(name), { env: environment() });

describe("installing Debian packages", () => {
  it("lets no service start, and leaves no policy behind", async () => {
    await install("tool");
    expect(await asked()).toEqual(["tool 101", "done"]);
    expect(await exists(place("policy"))).toBe(false);
  });

  it("keeps the policy that a machine has of its own", async () => {
    await writeFile(place("policy"), "#!/bin/sh\nexit 104\n", { mode: 0o755 });
    await install("tool");
    expect(await asked()).toEqual(["tool 104", "done"]);
    expect(await readFile(place("policy"), "utf8")).toBe("#!/bin/sh\nexit 104\n");
  });

  it("fetches the lists when the first try fails, and leaves no policy behind when all fails", async () => {
    await expect(install("missing")).rejects.toThrow("Command failed");
    expect(await asked()).toEqual(["missing 101", "update 101"]);
    expect(await exists(place("policy"))).toBe(false);
  });

  it("is ended in order when its process is killed meanwhile: no policy stays, and the lock is free", async () => {
    const killed = spawn(process.execPath, argumentsFor("slow"), { env: environment(), stdio: "ignore" });
    await until(() => exists(place("begun")));
    killed.kill("SIGKILL");
    await once(killed, "close");
    expect(await exists(place("policy"))).toBe(true);
    await writeFile(place("go"), "");
    await until(async () => !(await exists(place("policy"))));

    await install("tool");
    expect(await asked()).toEqual(["slow 101", "done", "tool 101", "done"]);
  });

  it("takes over a policy that a killed machine left", async () => {
    const stopped = spawn(process.execPath, argumentsFor("slow"), { env: environment(), stdio: "ignore" });
    await until(() => exists(place("begun")));
    const left = await readFile(place("policy"), "utf8");
    await writeFile(place("go"), "");
    await once(stopped, "close");

    await writeFile(place("policy"), left, { mode: 0o755 });
    await install("tool");
    expect(await exists(place("policy"))).toBe(false);
  });
});

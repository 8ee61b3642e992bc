import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { provideRedis } from "../../../src/cli/demo/provide-redis.ts";

const run = promisify(execFile);
const module = new URL("../../../src/cli/demo/provide-redis.ts", import.meta.url).href;

describe("provideRedis", () => {
  it("finds the server on the PATH and says nothing", async () => {
    const said: string[] = [];
    const program = await provideRedis((sentence) => void said.push(sentence));
    expect(program.command).toMatch(/^(redis|valkey)-server$/);
    expect(program.version).toMatch(/\d+\.\d+/);
    expect(said).toEqual([]);
  });

  it("says how to get one on each common system where there is none and none may be installed", async () => {
    const code = `
      const { provideRedis } = await import("${module}");
      await provideRedis(() => console.log("installs")).catch((error) => console.log(error.family, error.code, error.message));
    `;
    const args = ["--import", "tsx", "--input-type=module", "--eval", code];
    const { stdout } = await run(process.execPath, args, { env: { PATH: "/nonexistent" } });
    expect(stdout).toMatch(/^stop E_REDIS_MISSING neither redis-server nor valkey-server is on the PATH/);
    for (const system of ["Debian, Ubuntu", "Fedora, RHEL", "Alpine", "macOS", "Windows"])
      expect(stdout).toContain(`\n${system}: `);
    expect(stdout).not.toContain("installs");
  });

  it("passes over a program that never tells its version", async () => {
    const folder = await mkdtemp(join(tmpdir(), "svcsync-path-"));
    const program = async (name: string, text: string) =>
      await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    await program("redis-server", "exec /bin/sleep 3600");
    await program("valkey-server", "echo Valkey server v=8.1.0");
    const code = `
      const { provideRedis } = await import("${module}");
      console.log(JSON.stringify(await provideRedis(() => console.log("installs"))));
    `;
    const args = ["--import", "tsx", "--input-type=module", "--eval", code];
    const { stdout } = await run(process.execPath, args, { env: { PATH: folder } });
    expect(JSON.parse(stdout)).toEqual({ command: "valkey-server", version: "Valkey server v=8.1.0" });
    await rm(folder, { recursive: true });
  });
});

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { provideRedis } from "#queue";

const run = promisify(execFile);

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
      const { provideRedis } = await import("#queue");
      await provideRedis(() => console.log("installs")).catch((error) => console.log(error.family, error.code, error.message));
    `;
    const args = ["--conditions=source", "--import", "tsx", "--input-type=module", "--eval", code];
    const { stdout } = await run(process.execPath, args, { env: { PATH: "/nonexistent" } });
    expect(stdout).toMatch(/^stop E_REDIS_MISSING neither redis-server nor valkey-server is on the PATH/);
    for (const system of ["Debian, Ubuntu", "Fedora, RHEL", "Alpine", "macOS", "Windows"])
      expect(stdout).toContain(`\n${system}: `);
    expect(stdout).not.toContain("installs");
  });
});

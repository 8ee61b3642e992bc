import { describe, expect, it } from "vitest";
import { RetryError } from "#model";
import { failureCode, failureText } from "../../src/cli/output/failure-text.ts";

describe("what a command threw", () => {
  it.each(["EACCES", "EROFS", "EPERM"])("is one clear sentence where the folder takes no writes: %s", (code) => {
    const thrown = Object.assign(new Error(`${code}: open`), { code, path: "/srv/app/.env", syscall: "open" });

    expect(failureText(thrown)).toBe(
      `/srv/app/.env (${code}): svcsync may not write here. Name a file in a folder that it may write to, or start it in one.\n`,
    );
    expect(failureCode(thrown)).toBe(70);
  });

  it("is one sentence where a disk is full", () => {
    const thrown = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });

    expect(failureText(thrown)).toBe(
      "A file could not be written: ENOSPC: no space left on device, write. Free space on that disk, then give the command again.\n",
    );
    expect(failureCode(thrown)).toBe(70);
  });

  it("is told with its code, and with its trace only where nobody foresaw it", () => {
    expect(failureText(new RetryError("E_INTERNAL", "no answer"))).toBe("no answer (E_INTERNAL)\n");
    expect(failureText(new TypeError("x is undefined"))).toMatch(
      /^TypeError: x is undefined\n +at [^]*\(E_INTERNAL\)\n$/,
    );
  });
});

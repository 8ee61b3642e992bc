import { PassThrough } from "node:stream";
import { WriteStream } from "node:tty";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { coloured } from "../../../src/cli/demo/demo.ts";

const terminal = Object.assign(new PassThrough(), {
  isTTY: true,
  getColorDepth: () => WriteStream.prototype.getColorDepth(process.env),
});

describe("a coloured word", () => {
  beforeEach(() => {
    for (const name of ["FORCE_COLOR", "NODE_DISABLE_COLORS", "NO_COLOR", "CI", "TMUX"]) vi.stubEnv(name, undefined);
    vi.stubEnv("TERM", "xterm-256color");
  });
  afterEach(() => vi.unstubAllEnvs());

  it("has its colour on a terminal", () => {
    expect(coloured(terminal, "green", "done")).toBe("\u001b[32mdone\u001b[39m");
  });

  it("has none where NO_COLOR is set", () => {
    vi.stubEnv("NO_COLOR", "1");
    expect(coloured(terminal, "green", "done")).toBe("done");
  });

  it("has none in a file or a pipe", () => {
    expect(coloured(new PassThrough(), "red", "failed")).toBe("failed");
  });
});

import { expect, it } from "vitest";
import { stopSignals } from "#cli";

const names = (platform: NodeJS.Platform) => stopSignals(platform).map(([name]) => name);

it("svcsync stops cleanly on the signals that the system has: closing the console is one on Windows alone", () => {
  expect(names("linux")).toEqual(["SIGINT", "SIGTERM"]);
  expect(names("darwin")).toEqual(["SIGINT", "SIGTERM"]);
  expect(names("win32")).toEqual(["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"]);
});

import { findProgram, provide } from "./program.ts";

const candidates = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** A Chromium or Chrome of this machine, for playwright-core's `executablePath`; run it with `--no-sandbox` as root. */
export function findChromium(): Promise<string> {
  return provide(() => findProgram(candidates), "chromium");
}

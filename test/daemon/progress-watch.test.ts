import { describe, expect, it } from "vitest";
import { ProgressWatch } from "#daemon";

const id = { stream: "customers", key: "1" };
const error = { code: "E_SERVICE_DOWN" as const, message: "", details: {} };

/** A watch whose clock stands at the limit when `happens`. */
function stalledAfter(happens: (watch: ProgressWatch) => void): Promise<boolean> {
  let now = 0;
  const watch = new ProgressWatch(() => now);
  now = 1_000;
  happens(watch);
  const stop = new AbortController();
  const found = watch.stalled(1_000, stop.signal);
  stop.abort();
  return found;
}

describe("a run", () => {
  it.each<[string, (watch: ProgressWatch) => void]>([
    ["no rows and failed polls alone", (watch) => watch.staged("customers", { changed: 0 })],
    ["attempts that fail", (watch) => watch.delivered(id, { kind: "retry", error, durationMs: 1 })],
    ["records that wait", (watch) => watch.delivered(id, { kind: "waiting", error, durationMs: 1 })],
  ])("gets nowhere with %s", async (_, happens) => {
    expect(await stalledAfter(happens)).toBe(true);
  });

  it.each<[string, (watch: ProgressWatch) => void]>([
    ["stored rows", (watch) => watch.staged("customers", { changed: 1 })],
    ["a poll that ended", (watch) => watch.polled()],
    ["a delivery", (watch) => watch.delivered(id, { kind: "done", outcome: "created", durationMs: 1 })],
    ["a parked record", (watch) => watch.delivered(id, { kind: "parked", error, durationMs: 1 })],
  ])("progresses with %s", async (_, happens) => {
    expect(await stalledAfter(happens)).toBe(false);
  });
});

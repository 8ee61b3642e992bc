import { describe, expect, it } from "vitest";
import { ownText } from "#store";
import { Redaction } from "#telemetry";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { memoryPlace } from "./memory-place.ts";

async function open(...secrets: string[]) {
  const { redact } = new Redaction(secrets);
  const place = await memoryPlace();
  return place.open({ as: "daemon", clock: new SetClock(0), logger: silentLogger, redact });
}

describe("a text of its own for a store", () => {
  it("is the same for replicas that start at once on a new store, and later; not under another name or in another store", async () => {
    await using store = await open();
    const names = await Promise.all([
      ownText(store, "installation", 6),
      ownText(store, "installation", 6),
      ownText(store, "installation", 6),
    ]);
    expect(new Set([...names, await ownText(store, "installation", 6)]).size).toBe(1);
    await using other = await open();
    expect(await ownText(other, "installation", 6)).not.toBe(names[0]);
    expect(await ownText(store, "page", 6)).not.toBe(names[0]);
  });

  it("stays as it is where weak secrets are parts of it", async () => {
    await using store = await open(..."0123456789abcdef".split(""));
    expect(await ownText(store, "installation", 6)).toMatch(/^[0-9a-f]{12}$/);
    expect(await ownText(store, "installation", 6)).toMatch(/^[0-9a-f]{12}$/);
  });
});

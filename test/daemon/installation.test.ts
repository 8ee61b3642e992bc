import { describe, expect, it } from "vitest";
import { Redaction } from "#telemetry";
import { installationOf } from "../../src/daemon/daemon.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { memoryPlace } from "../store/memory-place.ts";

async function open(...secrets: string[]) {
  const { redact } = new Redaction(secrets);
  const place = await memoryPlace();
  return place.open({ as: "daemon", clock: new SetClock(0), logger: silentLogger, redact });
}

describe("the name of an installation", () => {
  it("is the same for replicas that start at once on a new store, and later", async () => {
    await using store = await open();
    const names = await Promise.all([installationOf(store), installationOf(store), installationOf(store)]);
    expect(new Set([...names, await installationOf(store)]).size).toBe(1);
    await using other = await open();
    expect(await installationOf(other)).not.toBe(names[0]);
  });

  it("stays as it is where weak secrets are parts of it", async () => {
    await using store = await open(..."0123456789abcdef".split(""));
    expect(await installationOf(store)).toMatch(/^[0-9a-f]{12}$/);
    expect(await installationOf(store)).toMatch(/^[0-9a-f]{12}$/);
  });
});

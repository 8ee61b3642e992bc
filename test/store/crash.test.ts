import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { systemClock } from "#model";
import { openStore, type Note, type Store, type StoreLocation } from "#store";
import { customer } from "../conformance/store-scene.ts";
import { CrashChild } from "./crash-child.ts";
import { postgresPlaces } from "./postgres-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";
import { silentLogger } from "../kit/logger.ts";

const operatorNote: Note<string> = { name: "operator", schema: z.string() };

/** What the lines of the killed processes say must be true of one record. */
interface Promised {
  row: number;
  applied: number;
  serviceId: number | undefined;
  /** The last create that was begun and not ended, as far as it was said. */
  openIntent: boolean;
}

function readPromises(lines: readonly string[], promised: Map<string, Promised>): void {
  const of = (key: string) => {
    const known = promised.get(key) ?? { row: 0, applied: 0, serviceId: undefined, openIntent: false };
    promised.set(key, known);
    return known;
  };
  for (const line of lines) {
    const [word, ...rest] = line.split(" ");
    if (word === "staged") for (const key of rest.slice(1)) of(key).row = Number(rest[0]);
    else if (word === "begun") of(rest[0]!).openIntent = true;
    else if (word === "abandons") of(rest[0]!).openIntent = false;
    else if (word === "applied") of(rest[0]!).applied = Number(rest[1]);
    else if (word === "bound")
      Object.assign(of(rest[0]!), { openIntent: false, serviceId: Number(rest[1]), applied: Number(rest[2]) });
  }
}

async function expectKept(store: Store, promised: ReadonlyMap<string, Promised>): Promise<void> {
  for (const [key, expected] of promised) {
    const record = (await store.record(customer(key)))!;
    const bound = record.binding !== undefined;
    const kept = {
      row: Number(record.row["version"]) >= expected.row,
      binding: expected.serviceId === undefined || record.binding?.serviceId === expected.serviceId,
      applied: Number(record.applied?.["version"] ?? 0) >= expected.applied,
      intent: !expected.openIntent || record.intent !== undefined || bound,
      // Nothing is half-recorded: an open create and a binding exclude each other, a binding comes with what was applied.
      whole: !(bound && record.intent !== undefined) && bound === (record.applied !== undefined),
      // What is not yet in the service is due, and nobody holds it.
      due: record.state === (record.appliedSequence === record.sequence ? "applied" : "due"),
    };
    expect({ key, ...kept }).toEqual({
      key,
      row: true,
      binding: true,
      applied: true,
      intent: true,
      whole: true,
      due: true,
    });
  }
}

const servers = postgresPlaces();
afterAll(() => servers.end());

/** In PostgreSQL the lease of a dead daemon lasts for eight seconds: fewer kills. */
const STORES: readonly { name: string; makePlace: () => Promise<CrashPlace>; kills: number }[] = [
  { name: "SQLite", makePlace: sqlitePlace, kills: 12 },
  { name: "PostgreSQL", makePlace: () => servers.make(), kills: 3 },
];

interface CrashPlace extends AsyncDisposable {
  readonly location: StoreLocation;
}

describe("a daemon that is killed with -9", () => {
  it.each(STORES)("keeps in $name every promise that had resolved, at whatever step it dies", async (kept) => {
    const { makePlace, kills } = kept;
    await using place = await makePlace();
    const promised = new Map<string, Promised>();
    let said = 0;
    for (let round = 0; round < kills; round++) {
      await using child = new CrashChild(place.location, round * 1_000_000);
      await child.said(50 + round * 137);
      await child.kill();
      said += child.lines.length;
      readPromises(child.lines, promised);
      await using store = await openStore(place.location, { as: "daemon", clock: systemClock, logger: silentLogger });
      await expectKept(store, promised);
      await store.check();
    }
    expect(said).toBeGreaterThan(kills * 50);
    expect([...promised.values()].some(({ serviceId }) => serviceId !== undefined)).toBe(true);
  });

  it("is named to a second daemon while it lives", async () => {
    await using place = await sqlitePlace();
    await using child = new CrashChild(place.dataDir, 0);
    await child.said(1);
    const second = openStore(place.dataDir, { as: "daemon", clock: systemClock, logger: silentLogger });
    await expect(second).rejects.toMatchObject({ family: "stop", code: "E_STORE_BUSY" });
    await expect(second).rejects.toThrow(`in use by process ${child.pid} on `);
    await using operator = await openStore(place.dataDir, { as: "operator", clock: systemClock, logger: silentLogger });
    await operator.saveNote(operatorNote, "was here");
    expect(await operator.note(operatorNote)).toBe("was here");
  });
});

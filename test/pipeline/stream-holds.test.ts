import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { StreamHolds } from "#pipeline";
import { openStore, type Note } from "#store";
import type { Hold } from "../../src/pipeline/holds/hold.ts";
import { sqlitePlace } from "../store/sqlite-place.ts";
import { memoryLogger } from "../kit/logger.ts";

const stoppedNote: Note<string> = { name: "stopped", schema: z.string() };

/** Holds the stream that a note names. */
const noted: Hold = {
  async find(store, stream) {
    if ((await store.note(stoppedNote)) !== stream) return undefined;
    return { kind: "adoption", reason: "it is noted", remedy: "remove the note", needsPerson: false, polls: true };
  },
};

async function holding(openStreams: readonly string[], hold: Hold = noted) {
  const place = await sqlitePlace();
  const logger = memoryLogger();
  const clock = { now: () => Date.now() };
  const store = await openStore(place.dataDir, { as: "daemon", clock, logger });
  let releases = 0;
  const gate = { isOpen: (stream: string) => openStreams.includes(stream), isSettled: true };
  const released = () => void (releases += 1);
  const holds = new StreamHolds({ store, clock, logger, gate, released, holds: [hold] }, ["customers", "tickets"]);
  return {
    holds,
    store,
    logger,
    releases: () => releases,
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

describe("the holds of streams", () => {
  it("let no stream deliver before the first look", async () => {
    await using held = await holding(["customers", "tickets"]);
    const { holds } = held;

    expect(holds.open()).toEqual([]);
    expect(holds.isSettled).toBe(false);

    await holds.look();

    expect(holds.open()).toEqual(["customers", "tickets"]);
    expect(holds.isSettled).toBe(true);
  });

  it("are read for all streams at once, so that a distant store answers once", async () => {
    let asked = 0;
    const seen: number[] = [];
    const counting: Hold = {
      async find() {
        asked += 1;
        await setImmediate();
        seen.push(asked);
        return undefined;
      },
    };
    await using held = await holding(["customers", "tickets"], counting);
    await held.holds.look();

    expect(seen).toEqual([2, 2]);
  });

  it("hold what the adoption gate holds", async () => {
    await using held = await holding(["tickets"]);
    const { holds } = held;
    await holds.look();

    expect(holds.open()).toEqual(["tickets"]);
    expect(holds.mayPoll("customers")).toBe(true);
  });

  it("hold a stream while a hold is found, tell it once, and tell when it ends", async () => {
    await using held = await holding(["customers", "tickets"]);
    const { holds, store, logger, releases } = held;
    await holds.look();
    await store.saveNote(stoppedNote, "tickets");
    await holds.look();
    await holds.look();

    expect(holds.open()).toEqual(["customers"]);
    expect([holds.mayPoll("customers"), holds.mayPoll("tickets")]).toEqual([true, false]);
    const before = releases();

    await store.saveNote(stoppedNote, undefined);
    await holds.look();

    expect(holds.open()).toEqual(["customers", "tickets"]);
    expect(releases()).toBe(before + 1);
    const told = logger.lines.filter(({ fields }) => fields["stream"] === "tickets").map(({ message }) => message);
    expect(told).toEqual(["stream was put on hold", "stream was released"]);
  });

  it("look before they refuse a stream that was woken, once for all who ask meanwhile", async () => {
    await using held = await holding(["customers", "tickets"]);
    const { holds, store, logger } = held;
    await store.saveNote(stoppedNote, "tickets");
    await holds.look();

    expect(await holds.mayDeliver("tickets")).toBe(false);

    await store.saveNote(stoppedNote, undefined);
    const answers = await Promise.all(Array.from({ length: 50 }, () => holds.mayDeliver("tickets")));

    expect(answers).toEqual(Array.from({ length: 50 }, () => true));
    expect(logger.lines.filter(({ message }) => message === "stream was released")).toHaveLength(1);
  });

  it("keep the word of the latest look when an earlier one takes longer", async () => {
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let finds = 0;
    const slow: Hold = {
      async find(...of) {
        const found = await noted.find(...of);
        if ((finds += 1) > 1) return found;
        asked.resolve();
        await answered.promise;
        return found;
      },
    };
    await using held = await holding(["customers", "tickets"], slow);
    const { holds, store } = held;
    await store.saveNote(stoppedNote, "customers");
    const earlier = holds.look();
    await asked.promise;
    await store.saveNote(stoppedNote, undefined);
    const later = holds.look();
    // Time enough for a look that waits for nothing.
    for (let turn = 0; turn < 50; turn++) await store.note(stoppedNote);
    answered.resolve();
    await Promise.all([earlier, later]);

    expect(holds.open()).toEqual(["customers", "tickets"]);
  });

  it("stay as they are while the store does not answer", async () => {
    await using held = await holding(["customers", "tickets"]);
    const { holds, store, logger } = held;
    await store.saveNote(stoppedNote, "tickets");
    await holds.look();
    await store[Symbol.asyncDispose]();
    await holds.look();
    await holds.look();

    expect(holds.open()).toEqual(["customers"]);
    expect(logger.lines.filter(({ message }) => message === "holds could not be read")).toHaveLength(1);
  });
});

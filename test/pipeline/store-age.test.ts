import { describe, expect, it } from "vitest";
import type { MarkName } from "#queue";
import { StoreAge } from "#pipeline";
import { comparisonNote, createsNote, restoredNote, writesNote } from "#store";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { memoryPlace } from "../store/memory-place.ts";

/** A store with these counts beside a queue with those. */
async function compared(known: { creates: number; writes: number }, told: Partial<Record<MarkName, number>>) {
  await using place = await memoryPlace();
  await using store = await place.open({ as: "daemon", clock: new SetClock(), logger: silentLogger });
  await store.saveNote(createsNote, known.creates);
  await store.saveNote(writesNote, known.writes);
  const marks = new Map<string, number>(Object.entries(told));
  const queue = {
    mark: (of: MarkName = "creates") => Promise.resolve(marks.get(of)),
    saveMark: async (mark: number, of: MarkName = "creates") => void marks.set(of, mark),
  };
  const age = new StoreAge({ store, queue, logger: silentLogger });
  await age.compare();
  const isRestored = (await store.note(restoredNote)) === true;
  const isCompared = (await store.note(comparisonNote)) === true;
  await age.compare();
  const counts = { creates: await store.note(createsNote), writes: await store.note(writesNote) };
  return { isRestored, isCompared, counts, marks: Object.fromEntries(marks) };
}

describe("the age of a store", () => {
  it.each([
    ["knows as much as the queue", { creates: 3, writes: 7 }, { creates: 3, writes: 7 }, [false, false]],
    ["knows more", { creates: 3, writes: 7 }, { creates: 2, writes: 6 }, [false, false]],
    ["meets an empty queue", { creates: 3, writes: 7 }, {}, [false, false]],
    ["meets a queue that an older version told", { creates: 3, writes: 7 }, { creates: 3 }, [false, false]],
    ["lacks a create", { creates: 3, writes: 7 }, { creates: 4, writes: 7 }, [true, false]],
    [
      "lacks only a write of a record that it knows",
      { creates: 3, writes: 7 },
      { creates: 3, writes: 8 },
      [false, true],
    ],
    ["lacks both", { creates: 3, writes: 7 }, { creates: 4, writes: 8 }, [true, true]],
  ] as const)(
    "of one that %s",
    async (_case, known, told: Partial<Record<MarkName, number>>, [isRestored, isCompared]) => {
      const found = await compared(known, told);
      expect(found).toMatchObject({ isRestored, isCompared });
      // What it lacked is noticed once, and the count goes on from there.
      const most = (of: MarkName) => Math.max(known[of], told[of] ?? 0);
      const counts = { creates: most("creates"), writes: most("writes") };
      expect(found).toMatchObject({ counts, marks: counts });
    },
  );
});

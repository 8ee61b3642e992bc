import { describe, expect, it } from "vitest";
import { RetryError, type JsonObject } from "#model";
import type { Written } from "#service";
import { droppedNote } from "../../src/pipeline/notes.ts";
import { DroppedFields } from "../../src/pipeline/deliver/update/dropped-fields.ts";
import { SetClock } from "../kit/clock.ts";
import { memoryLogger, silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { memoryPlace } from "../store/memory-place.ts";
import { customersFile } from "./customer-stream.ts";

const [stream] = customersFile({ fields: "{ customerId: number, info: remarks }" }).streams;

/** Whether each of these writes was reported, where a look at the record shows what `reads` say, one after another. */
async function reports(reads: readonly (JsonObject | Error | undefined)[], found: string | undefined, writes = 1) {
  await using place = await memoryPlace();
  await using store = await place.open({ as: "daemon", clock: new SetClock(), logger: silentLogger });
  const logger = memoryLogger();
  const shown = reads.values();
  const read = async () => {
    const { value, done } = shown.next();
    if (done === true) throw new Error("read once too often");
    if (value instanceof Error) throw value;
    return value;
  };
  const dropped = new DroppedFields(store, { read }, logger);
  const reported: boolean[] = [];
  for (let at = 0; at < writes; at++) {
    const written = { serviceId: 7, dropped: [{ field: "info", sent: "A", found }], status: 200, durationMs: 1 };
    await dropped.report(stream!, written, never);
    reported.push((await store.note(droppedNote("customers", "info"))) !== undefined);
  }
  return { reported, warnings: logger.lines.length, unread: [...shown].length };
}

describe("a field that an answer does not show", () => {
  it("is not called dropped while the record holds it, and is looked at once", async () => {
    expect(await reports([{ id: 7, info: " A" }], undefined, 2)).toEqual({
      reported: [false, false],
      warnings: 0,
      unread: 0,
    });
  });

  it("is reported once where the record does not hold it either", async () => {
    expect(await reports([{ id: 7 }], undefined, 2)).toEqual({ reported: [true, true], warnings: 1, unread: 0 });
  });

  it.each([
    ["is not shown yet", undefined],
    ["cannot be read", new RetryError("E_SERVICE_FAILED", "no")],
  ])("is looked at again with the next write where the record %s", async (_, first) => {
    const second = { id: 7, info: "B" };
    expect(await reports([first, second], undefined, 2)).toEqual({ reported: [false, true], warnings: 1, unread: 0 });
  });
});

it("believes an answer that shows another value, and reads nothing", async () => {
  expect(await reports([], "B")).toEqual({ reported: [true], warnings: 1, unread: 0 });
});

function written(serviceId: number, { drops = false } = {}): Written {
  const dropped = drops ? [{ field: "info", sent: "new", found: "old" }] : [];
  return { serviceId, dropped, status: 200, durationMs: 1 };
}

it("reports a field until the service keeps it in the record where it was dropped first", async () => {
  await using place = await memoryPlace();
  await using store = await place.open({ as: "daemon", clock: new SetClock(), logger: silentLogger });
  const logger = memoryLogger();
  const service = { read: () => Promise.reject(new Error("nothing is read")) };
  const fields = new DroppedFields(store, service, logger);
  const note = droppedNote("customers", "info");
  const info = { info: "new" };
  // Looked for before it is dropped: what is known then must not hide the note.
  await fields.report(stream!, written(7), never, info);
  await fields.report(stream!, written(7, { drops: true }), never, info);
  const first = { resource: stream!.resource, serviceId: 7 };
  expect(await store.note(note)).toEqual(first);
  await fields.report(stream!, written(7, { drops: true }), never, info);
  // It may be kept in some records only, without a value it looks kept, and a create may take what an update drops.
  await fields.report(stream!, written(8), never, info);
  await fields.report(stream!, written(7), never, { name: "other", info: null });
  await fields.report(stream!, written(7), never);
  await fields.report(stream!, written(8, { drops: true }), never, info);
  expect(await store.note(note)).toEqual(first);
  expect(logger.count("field was dropped by the service")).toBe(1);

  await fields.report(stream!, written(7), never, info);
  expect(await store.note(note)).toBeUndefined();
  await fields.report(stream!, written(7), never, info);
  await fields.report(stream!, written(8, { drops: true }), never, info);
  expect(await store.note(note)).toEqual({ ...first, serviceId: 8 });
  expect(logger.count("field was dropped by the service")).toBe(2);
  await new DroppedFields(store, service, logger).report(stream!, written(8), never, info);
  expect(await store.note(note)).toBeUndefined();
});

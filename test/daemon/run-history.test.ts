import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sleep, StopError } from "#model";
import type { HistoryHour } from "#store";
import { RunRecorder } from "../../src/daemon/observers/run-history.ts";
import { SetClock } from "../kit/clock.ts";
import { memoryLogger, silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { sqlitePlace } from "../store/sqlite-place.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const facts = { rowsRead: 10, changed: 2, unchanged: 8, durationMs: 50, backfill: false };
const id = { stream: "customers", key: "1" };

const full = () => Promise.reject(new StopError("E_STORE_FULL", "the disk is full"));

describe("the history of runs", () => {
  it("counts by stream and hour, and adds to what the store has", async () => {
    await using place = await sqlitePlace();
    const clock = new SetClock();
    await using store = await place.open({ as: "daemon", clock, logger: silentLogger });
    const history = new RunRecorder(clock, silentLogger);
    const hourAt = clock.now();
    history.polled("customers", facts);
    history.delivered(id, { kind: "done", outcome: "created", durationMs: 30 });
    await history.flush(store.history);
    history.polled("customers", facts);
    history.pollFailed("tickets");
    history.delivered(id, { kind: "retry", error: { code: "E_INTERNAL", message: "", details: {} }, durationMs: 5 });
    await history.flush(store.history);
    clock.advance(HOUR);
    history.polled("customers", facts);
    await history.flush(store.history);
    expect(await store.history.history({ since: hourAt })).toMatchObject([
      {
        stream: "customers",
        hourAt,
        polls: 2,
        rowsRead: 20,
        changed: 4,
        created: 1,
        retried: 1,
        busyMs: 135,
        requests: 0,
      },
      { stream: "tickets", hourAt, polls: 0, pollFailures: 1 },
      { stream: "customers", hourAt: hourAt + HOUR, polls: 1 },
    ]);
    expect(await store.history.history({ since: hourAt, until: hourAt + HOUR, stream: "tickets" })).toHaveLength(1);
    expect(await store.history.history({ since: hourAt + HOUR })).toHaveLength(1);
  });

  it("counts a request for the stream whose work made it, whatever runs beside it", async () => {
    const clock = new SetClock();
    const added: HistoryHour[] = [];
    const history = new RunRecorder(clock, silentLogger);
    const asks = async (times: number) => {
      for (let at = 0; at < times; at++) {
        await sleep(0);
        history.requested();
      }
    };
    const handlers = history.watching({ deliver: () => asks(3), poll: () => asks(5) });
    const id = { stream: "customers", key: "1" };
    await Promise.all([handlers.deliver(id, never), handlers.poll("tickets", never), asks(7)]);
    await history.flush({ addHistory: async (hours) => void added.push(...hours) });
    expect(added.map(({ stream, requests }) => [stream, requests])).toEqual([
      ["customers", 3],
      ["tickets", 5],
    ]);
  });

  it("keeps what could not be stored, says so once, and stops nothing", async () => {
    const clock = new SetClock();
    const logger = memoryLogger();
    const history = new RunRecorder(clock, logger);
    const added: HistoryHour[] = [];
    for (let at = 0; at < 3; at++) {
      history.polled("customers", facts);
      await history.flush({ addHistory: full });
    }
    await history.flush({ addHistory: async (hours) => void added.push(...hours) });
    expect(added).toMatchObject([{ polls: 3, rowsRead: 30 }]);
    expect(logger.count("run history was not stored")).toBe(1);
  });

  it("holds 400 days of four streams in a few megabytes", async () => {
    await using place = await sqlitePlace();
    const clock = new SetClock();
    {
      await using store = await place.open({ as: "daemon", clock, logger: silentLogger });
      const first = clock.now() - 400 * DAY;
      const counts = {
        polls: 120,
        pollFailures: 0,
        rowsRead: 12_345,
        changed: 321,
        created: 12,
        adopted: 0,
        updated: 290,
        unchanged: 19,
        deleted: 3,
        skipped: 1,
        waiting: 7,
        retried: 2,
        parked: 1,
        uncertain: 0,
        requests: 640,
        busyMs: 1_234_567,
      };
      for (let day = 0; day < 400; day++) {
        const hours = Array.from({ length: 24 }, (_, at) => first + day * DAY + at * HOUR);
        await store.history.addHistory(
          hours.flatMap((hourAt) =>
            ["customers", "contacts", "tickets", "orders"].map((stream) => ({ stream, hourAt, ...counts })),
          ),
        );
      }
      expect(await store.history.history({ since: first })).toHaveLength(38_400);
      expect(await store.prune("history", first + DAY)).toBe(96);
    }
    const { size } = statSync(join(place.dataDir, "svcsync.db"));
    // Measured: 2.24 MB.
    expect(size / 1024 / 1024).toBeLessThan(4);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RetryError } from "#model";
import { Nudges } from "#pipeline";
import { memoryLogger } from "../kit/logger.ts";

const FLOOR_MS = 1_000;

function nudging(pollNow: (stream: string) => Promise<void> = () => Promise.resolve()) {
  const polled: string[] = [];
  const logger = memoryLogger();
  const queue = {
    pollNow: (stream: string) => {
      polled.push(stream);
      return pollNow(stream);
    },
  };
  return { polled, logger, nudges: new Nudges({ queue, logger, floorMs: FLOOR_MS }) };
}

describe("nudges", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("poll at once, and a hundred within a second at most once per floor", () => {
    const { nudges, polled } = nudging();
    nudges.nudge("customers");
    expect(polled).toEqual(["customers"]);
    for (let at = 0; at < 100; at++) {
      nudges.nudge("customers");
      vi.advanceTimersByTime(10);
    }
    expect(polled).toEqual(["customers", "customers"]);
  });

  it("poll once more after the last one, so that its change is seen", () => {
    const { nudges, polled } = nudging();
    nudges.nudge("customers");
    nudges.nudge("customers");
    vi.advanceTimersByTime(FLOOR_MS - 1);
    expect(polled).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(polled).toHaveLength(2);
    vi.advanceTimersByTime(10 * FLOOR_MS);
    expect(polled).toHaveLength(2);
  });

  it("of one stream hold back no other", () => {
    const { nudges, polled } = nudging();
    for (const stream of ["customers", "customers", "tickets"]) nudges.nudge(stream);
    expect(polled).toEqual(["customers", "tickets"]);
  });

  it("are forgotten when the daemon stops", () => {
    const { nudges, polled } = nudging();
    nudges.nudge("customers");
    nudges.nudge("customers");
    nudges[Symbol.dispose]();
    vi.advanceTimersByTime(10 * FLOOR_MS);
    expect(polled).toHaveLength(1);
  });

  it("that the queue does not take are logged", async () => {
    const { nudges, logger } = nudging(() => Promise.reject(new RetryError("E_QUEUE_UNREACHABLE", "it is away")));
    nudges.nudge("customers");
    await vi.waitFor(() => expect(logger.lines).toHaveLength(1), 120_000);
    expect(logger.lines[0]).toMatchObject({ level: "warn", message: "nudged poll was not taken by the queue" });
  });
});

import { describe, expect, it } from "vitest";
import { MEMORY_FLOOR_BYTES, warnOfLittleMemory } from "../../src/daemon/memory-floor.ts";
import { memoryLogger } from "../kit/logger.ts";

const warnedOf = (limitBytes: number) => {
  const logger = memoryLogger();
  warnOfLittleMemory(logger, limitBytes);
  return logger.lines;
};

describe("the memory that the control group allows", () => {
  it("is warned of below the floor, with both figures and what to do", () => {
    expect(warnedOf(160 * 2 ** 20)).toEqual([
      {
        level: "warn",
        message: "memory limit is below what svcsync needs",
        fields: { limitMb: 160, floorMb: 256, advice: expect.stringContaining("give the container 1 GB") },
      },
    ]);
    expect(warnedOf(MEMORY_FLOOR_BYTES - 1)).toHaveLength(1);
  });

  it.each([0, MEMORY_FLOOR_BYTES, 2 ** 30, 2 ** 64])("is no reason for a word with a limit of %d bytes", (limit) => {
    expect(warnedOf(limit)).toEqual([]);
  });
});

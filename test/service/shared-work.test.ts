import { describe, expect, it, vi } from "vitest";
import { untilAborted } from "../../src/model/abort.ts";
import { thrownBy } from "../kit/outcome.ts";

describe("work that callers share", () => {
  it("may fail after a caller came too late, without an unhandled rejection", async () => {
    const work = new Promise<never>(() => {});
    const heard = vi.spyOn(work, "then");
    const reason = new Error("stopping");
    expect(await thrownBy(untilAborted(work, AbortSignal.abort(reason)))).toBe(reason);
    expect(heard).toHaveBeenCalledWith(undefined, expect.any(Function));
  });
});

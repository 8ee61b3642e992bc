import { describe, expect, it } from "vitest";
import { RetryError } from "#model";
import { attempt, orStopped } from "../../src/cli/check/attempt.ts";
import { never } from "../kit/outcome.ts";

const failing = (thrown: unknown) => () => Promise.reject(thrown);

describe("a look of check", () => {
  it("makes a finding of a failure, with its remedy", async () => {
    const error = new RetryError("E_QUEUE_UNREACHABLE", "the queue does not answer");
    expect(await attempt("queue", failing(error), never)).toEqual([
      expect.objectContaining({
        subject: "queue",
        verdict: "problem",
        message: expect.stringContaining("E_QUEUE_UNREACHABLE"),
      }),
    ]);
  });

  it.each(["ENOSPC", "EDQUOT", "SQLITE_FULL"])("says that the disk is full: %s", async (code) => {
    const [finding] = await attempt("erp", failing(Object.assign(new Error("write failed"), { code })), never);
    expect(finding).toMatchObject({
      message: "the disk is full: write failed",
      remedy: expect.stringContaining("Free space"),
    });
  });

  it("makes no finding of its interruption", async () => {
    const stop = new AbortController();
    const look = async () => {
      stop.abort(new Error("told to stop"));
      throw new RetryError("E_SOURCE_UNREACHABLE", "no answer");
    };
    await expect(attempt("erp", look, stop.signal)).rejects.toThrow("told to stop");
  });

  it("ends soon after the signal, whatever it waits for", async () => {
    const stop = new AbortController();
    const waiting = orStopped(new Promise(() => undefined), stop.signal);
    stop.abort(new Error("told to stop"));
    await expect(waiting).rejects.toThrow("told to stop");
    expect(await orStopped(Promise.resolve("done"), never)).toBe("done");
  });
});

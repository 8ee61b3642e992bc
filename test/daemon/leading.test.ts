import { expect, it } from "vitest";
import { RetryError, StopError } from "#model";
import { untilDone } from "../../src/daemon/cluster/leading.ts";
import { memoryLogger } from "../kit/logger.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const away = new RetryError("E_STORE_UNREACHABLE", "the database is restarting");

it("takes the lead when the store answers again", async () => {
  const logger = memoryLogger();
  const failures = [away, away];
  await untilDone(() => (failures.length > 0 ? Promise.reject(failures.pop()!) : Promise.resolve()), logger, never);
  expect(logger.count("lead could not be taken yet")).toBe(2);
});

it.each([
  ["what only a restart helps against", new StopError("E_STORE_LOST", "the place is gone"), never],
  ["the store away at the stop", away, AbortSignal.abort()],
])("gives up for %s", async (_, failure, signal) => {
  expect(await thrownBy(untilDone(() => Promise.reject(failure), memoryLogger(), signal))).toMatchObject({
    code: failure.code,
  });
});

import { expect, it } from "vitest";
import { Redaction } from "#telemetry";
import { keptSession } from "../../src/daemon/cluster/kept-session.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { memoryPlace } from "../store/memory-place.ts";

it("keeps who logs in and what is sealed as they are, where weak secrets are parts of them, and no secret in a message", async () => {
  const { redact } = new Redaction(["12", "a"]);
  await using place = await memoryPlace();
  await using store = await place.open({ as: "daemon", clock: new SetClock(), logger: silentLogger, redact });
  const cell = keptSession(store, redact);
  const mine = { by: "7a12", token: "cGFhMTI=", former: "YTEyYQ==", refusal: { sealed: "MTJh", at: 1 } };
  expect(await cell.replace(undefined, mine)).toBe(true);
  expect(await cell.load()).toEqual(mine);
  const doubted = { ...mine, doubted: { count: 1, at: 1, message: "refused 12" } };
  expect(await cell.replace(mine, doubted)).toBe(true);
  expect((await cell.load())?.doubted?.message).toBe("refused [redacted]");
});

import { expect, it } from "vitest";
import { ParkError, errorFacts } from "#model";
import { Poller, PollPauses, streamStatus, Sweeper } from "#pipeline";
import type { SourceStream } from "#sources";
import { openStore } from "#store";
import { SetClock } from "../kit/clock.ts";
import { memoryLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { sqlitePlace } from "../store/sqlite-place.ts";
import { customersFile } from "./customer-stream.ts";

const forbidden = errorFacts(new ParkError("E_SOURCE_FORBIDDEN", "GET /Deleted answered 403: no permission"));

it("a list of deletions that the ERP does not show is in the status of its stream until it does, and is logged once", async () => {
  await using place = await sqlitePlace();
  const clock = new SetClock(1_000_000);
  const logger = memoryLogger();
  await using store = await openStore(place.dataDir, { as: "daemon", clock, logger });
  let isRefused = false;
  const source: SourceStream = {
    capabilities: { deletions: "sweep" },
    async *changes() {
      yield { changes: [], cursor: 1 };
    },
    async *deletions() {
      if (!isRefused) yield { changes: [], cursor: 1 };
    },
    refusedDeletions: () => (isRefused ? forbidden : undefined),
    readOne: async () => undefined,
    async *keys() {},
    check: async () => [],
  };
  const poller = new Poller({
    store,
    sources: new Map([["customers", source]]),
    sweeper: new Sweeper({ store, streams: new Map(), sources: new Map(), clock, logger, intervalMs: 60_000 }),
    pauses: new PollPauses({ sourceOf: () => "erp" }),
    rounds: { begin: () => {}, decide: async () => {}, end: () => {} },
    clock,
    logger,
    observer: { staged: () => {}, polled: () => {}, pollFailed: () => {}, delivered: () => {} },
    nudge: () => {},
  });
  const statusAfterPoll = async (refused: boolean) => {
    isRefused = refused;
    await poller.poll("customers", never);
    const [status] = await streamStatus(store, customersFile().streams, clock);
    return { ...status!, told: logger.count("list of deletions was refused") };
  };
  const well = { state: "following", deletionsRefused: undefined, attention: [] };
  const refused = {
    state: "following",
    deletionsRefused: forbidden.message,
    attention: [expect.stringMatching(/does not show its list of deletions.*only sweeps.*answered 403: no permission/)],
  };
  expect(await statusAfterPoll(false)).toMatchObject({ ...well, told: 0 });
  expect(await statusAfterPoll(true)).toMatchObject({ ...refused, told: 1 });
  expect(await statusAfterPoll(true)).toMatchObject({ ...refused, told: 1 });
  expect(await statusAfterPoll(false)).toMatchObject({ ...well, told: 1 });
  expect(await statusAfterPoll(true)).toMatchObject({ ...refused, told: 2 });
});

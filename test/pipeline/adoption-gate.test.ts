import { expect, it } from "vitest";
import { systemClock } from "#model";
import { AdoptionGate, Matcher, streamStatus } from "#pipeline";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { open, standIn, type Reply } from "../service/stand-in.ts";
import { memoryPlace } from "../store/memory-place.ts";
import { customersFile } from "./customer-stream.ts";

const { streams } = customersFile();

it.each<[string, Reply, object]>([
  ["refuses", { status: 403, json: { status: 403, errorMessage: "no permission" } }, { state: "held" }],
  ["cannot answer now", { status: 429, headers: { "retry-after": "3600" } }, { state: "paused" }],
])("says why a stream does not flow whose list the service %s, until it is opened", async (_, refusal, expected) => {
  await using place = await memoryPlace();
  await using store = await place.open({ as: "daemon", clock: new SetClock(), logger: silentLogger });
  let reply = refusal;
  await using server = await standIn(() => reply);
  await using opened = open(server.url);
  await using reopened = open(server.url);
  const gateOf = (service: typeof opened.service) => {
    const asked = Promise.withResolvers<void>();
    const matcher = new Matcher(
      { store, service, clock: systemClock, logger: silentLogger, settleMs: 0, maxAgeMs: 0 },
      streams,
    );
    const logger = { ...silentLogger, warn: () => void setImmediate(asked.resolve) };
    const age = { compare: () => Promise.resolve() };
    const gate = new AdoptionGate(
      { store, matcher, age, logger, settleMs: 0, opened: asked.resolve, stop: asked.reject },
      streams,
    );
    return { gate, asked };
  };
  const look = async (service: typeof opened.service) => {
    const { gate, asked } = gateOf(service);
    const ending = new AbortController();
    const running = gate.run(ending.signal);
    await asked.promise;
    ending.abort();
    await running.catch(() => {});
    return (await streamStatus(store, streams, systemClock))[0]!;
  };
  const closed = await look(opened.service);
  expect(closed).toMatchObject(expected);
  expect(closed.attention).toEqual([
    expect.stringMatching(
      /^svcsync cannot find out which records of customer the service holds: .+; svcsync asks again/,
    ),
  ]);
  reply = { json: { totalCount: 0, customer: [] } };
  const released = await look(reopened.service);
  expect(released).toMatchObject({ holds: [], attention: [] });
});

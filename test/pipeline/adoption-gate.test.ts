import { expect, it } from "vitest";
import { systemClock } from "#model";
import { AdoptionGate, Matcher, streamStatus } from "#pipeline";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { open, standIn, type Reply } from "../service/stand-in.ts";
import { memoryPlace } from "../store/memory-place.ts";
import type { Service } from "#service";
import type { Store } from "#store";
import { customersFile } from "./customer-stream.ts";

const { streams } = customersFile();

/** Lets a gate look at the service once; resolves to the stream's status afterwards. */
/** Streams whose left out records were looked for. */
const soughtAgain: string[] = [];

async function look(store: Store, service: Service) {
  const looked = Promise.withResolvers<void>();
  const matcher = new Matcher(
    { store, service, clock: systemClock, logger: silentLogger, settleMs: 0, maxAgeMs: 0 },
    streams,
  );
  const said = () => void setImmediate(looked.resolve);
  const logger = { ...silentLogger, warn: said, error: said };
  const age = { compare: () => Promise.resolve() };
  const restored = { compare: () => Promise.resolve(0) };
  const leftOut = { look: async (name: string) => void soughtAgain.push(name) };
  const gate = new AdoptionGate(
    { store, matcher, age, restored, leftOut, logger, settleMs: 0, opened: looked.resolve, stop: looked.reject },
    streams,
  );
  const ending = new AbortController();
  const running = gate.run(ending.signal);
  await looked.promise;
  ending.abort();
  await running.catch(() => {});
  return statusOf(store);
}

async function statusOf(store: Store) {
  return (await streamStatus(store, streams, systemClock))[0]!;
}

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
  const closed = await look(store, opened.service);
  expect(closed).toMatchObject(expected);
  expect(closed.attention).toEqual([
    expect.stringMatching(
      /^svcsync cannot find out which records of customer the service holds: .+; svcsync asks again/,
    ),
  ]);
  reply = { json: { totalCount: 0, customer: [] } };
  const released = await look(store, reopened.service);
  expect(released).toMatchObject({ holds: [], attention: [] });
  expect(soughtAgain.splice(0)).toEqual([streams[0]!.name]);
});

it("no longer says that a stream waits for a decision once a person has decided, also before the next run", async () => {
  await using place = await memoryPlace();
  await using store = await place.open({ as: "daemon", clock: new SetClock(), logger: silentLogger });
  const customer = [{ id: 7, customerId: "7", name: "Alt" }];
  await using server = await standIn(() => ({ json: { totalCount: 1, customer } }));
  await using opened = open(server.url);
  expect(await look(store, opened.service)).toMatchObject({
    state: "held",
    attention: [expect.stringContaining("already holds 1 record")],
  });

  await store.decideAdoption("customers", "adopt");
  expect(await statusOf(store)).toMatchObject({ holds: [], attention: [] });
});

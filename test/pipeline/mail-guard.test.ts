import { describe, expect, it } from "vitest";
import { ParkError, RetryError, type JsonObject } from "#model";
import { confirmMail, firstMailNote, MailGuard, StreamHolds, streamStatus } from "#pipeline";
import { startSandbox } from "#sandbox";
import { silentLogger } from "../kit/logger.ts";
import { DeliveryRig, streamsOf } from "./delivery-rig.ts";

const STREAM = "tickets";
const SENDS = 3;
const QUIET = 4;

const streamsWith = (resource: string, fields: object) =>
  streamsOf(
    JSON.stringify({
      sources: { erp: { adapter: "sql", url: "sqlite:erp.db" } },
      streams: { [STREAM]: { source: "erp", read: { table: "t", key: "k" }, resource, fields } },
    }),
  );
const tickets = streamsWith("ticket", { description: "text", ticketStatus: "status" });
const statuses: JsonObject[] = [
  { id: SENDS, name: "Done", sendCustomerMail: true },
  { id: QUIET, name: "Open", sendCustomerMail: false },
];

/** A first load of `count` rows with this status, and a guard that is asked until it has decided. */
async function firstLoad(count: number, row: object, { streams = tickets, complete = true } = {}) {
  const sandbox = await startSandbox();
  const rig = await DeliveryRig.open(sandbox);
  const { store, clock } = rig;
  const asked = { rows: () => Promise.resolve(statuses), times: 0 };
  const changes = Array.from({ length: count }, (_, at) => ({
    kind: "upsert" as const,
    key: String(at),
    row: { text: `Ticket ${at}`, ...row },
  }));
  await store.stage(STREAM, { changes, cursor: 1, backfill: true, complete });
  const restarted = () =>
    new MailGuard(
      {
        store,
        service: {
          async *list() {
            asked.times++;
            yield await asked.rows();
          },
        },
        logger: silentLogger,
        openPlanner: () => rig.planner(streams),
        decided: () => {},
        stop: () => {},
      },
      streams,
    );
  return {
    store,
    asked,
    restarted,
    async run(guard: MailGuard, holds: () => Promise<boolean>) {
      const looking = new AbortController();
      const running = guard.run(looking.signal);
      while (!(await holds())) await new Promise(setImmediate);
      looking.abort();
      await running;
    },
    state: async () => (await store.note(firstMailNote(STREAM)))?.state,
    status: async () => (await streamStatus(store, streams, clock))[0]!,
    async mayDeliver() {
      const gate = { isOpen: () => true, isSettled: true };
      const holds = new StreamHolds({ store, clock, logger: silentLogger, gate, released: () => {} }, [STREAM]);
      await holds.look();
      return holds.mayDeliver(STREAM);
    },
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

describe("a first load that would make the service send mail", () => {
  it("is held before anything is delivered, and goes on once a person confirms it, also after a restart", async () => {
    await using load = await firstLoad(21, { status: SENDS });
    const guard = load.restarted();
    await guard.begin();
    expect(await load.mayDeliver()).toBe(false);
    await load.run(guard, async () => (await load.state()) === "held");
    const { state, holds } = await load.status();
    expect({ state, holds }).toMatchObject({ state: "held", holds: [{ kind: "mail", needsPerson: true }] });
    expect(holds[0]!.reason).toContain("21 new records");
    const { plan } = (await load.store.note(firstMailNote(STREAM)))!;
    await confirmMail(load.store, STREAM, "000000000000");
    await load.run(guard, async () => load.asked.times > 0);
    expect(await load.state()).toBe("held");
    const next = load.restarted();
    await next.begin();
    await load.run(next, async () => (await load.state()) === "held");
    await confirmMail(load.store, STREAM, plan);
    await load.run(next, async () => (await load.state()) === "open");
    expect(await load.mayDeliver()).toBe(true);
    await load.restarted().begin();
    expect(await load.state()).toBe("open");
  });

  it("keeps a confirmation until it is carried out, although the store fails meanwhile", async () => {
    await using load = await firstLoad(21, { status: SENDS });
    const guard = load.restarted();
    await guard.begin();
    await load.run(guard, async () => (await load.state()) === "held");
    const { plan } = (await load.store.note(firstMailNote(STREAM)))!;
    await confirmMail(load.store, STREAM, plan);
    const saveNote = load.store.saveNote.bind(load.store);
    let failures = 0;
    load.store.saveNote = async (note, fact) => {
      if (note.name !== firstMailNote(STREAM).name) return saveNote(note, fact);
      failures++;
      throw new RetryError("E_STORE_UNREACHABLE", "the store does not answer");
    };
    await load.run(guard, () => Promise.resolve(failures > 0));
    load.store.saveNote = saveNote;
    const next = load.restarted();
    await next.begin();
    await load.run(next, async () => (await load.state()) === "open");
    expect(await load.mayDeliver()).toBe(true);
  });

  it.each([
    ["has twenty of them", 20, { status: SENDS }, tickets],
    ["has many that send none", 60, { status: QUIET }, tickets],
    [
      "is of service records whose flag is false",
      60,
      { send: false },
      streamsWith("svcDocument", { sendMessage: "send" }),
    ],
    ["is of another resource", 60, {}, streamsWith("department", { name: "text" })],
  ] as const)("is not held if it %s", async (_, count, row, streams) => {
    await using load = await firstLoad(count, row, { streams });
    const guard = load.restarted();
    await guard.begin();
    await load.run(guard, async () => ((await load.state()) ?? "open") === "open");
    expect(await load.mayDeliver()).toBe(true);
  });

  it("is held for service records that ask for a message", async () => {
    await using load = await firstLoad(
      21,
      { send: true },
      { streams: streamsWith("svcDocument", { sendMessage: "send" }) },
    );
    const guard = load.restarted();
    await guard.begin();
    await load.run(guard, async () => (await load.state()) === "held");
    expect(load.asked.times).toBe(0);
  });

  it("says that it cannot be known where the user may not read the statuses, and counts all that get one", async () => {
    await using load = await firstLoad(21, { status: QUIET });
    load.asked.rows = () => Promise.reject(new ParkError("E_SERVICE_REFUSED", "403"));
    const guard = load.restarted();
    await guard.begin();
    await load.run(guard, async () => (await load.state()) === "held");
    expect((await load.status()).holds[0]!.reason).toContain("cannot be known");
  });

  it("is counted when the service answers, and when the load was read to its end", async () => {
    await using load = await firstLoad(21, { status: SENDS }, { complete: false });
    load.asked.rows = () => Promise.reject(new RetryError("E_SERVICE_UNREACHABLE", "nobody answers"));
    const guard = load.restarted();
    await guard.begin();
    await load.run(guard, async () => load.asked.times > 0);
    expect(await load.state()).toBe("counting");
    load.asked.rows = () => Promise.resolve(statuses);
    const next = load.restarted();
    await next.begin();
    await load.run(next, async () => load.asked.times > 1);
    expect(await load.state()).toBe("counting");
    await load.store.stage(STREAM, { changes: [], cursor: 2, backfill: true, complete: true });
    await load.run(next, async () => (await load.state()) === "held");
  });

  it("is none where a record was already delivered", async () => {
    await using load = await firstLoad(21, { status: SENDS });
    const claim = (await load.store.claim({ stream: STREAM, key: "0" }))!;
    await load.store.begin(claim, { resource: "ticket", projection: {} });
    const applied = { projection: {}, outcome: "created", parents: [] } as const;
    await load.store.end(claim, { kind: "bind", binding: { resource: "ticket", serviceId: 1 }, applied });
    await load.restarted().begin();
    expect(await load.state()).toBe("open");
  });
});

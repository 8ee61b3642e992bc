import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import type { ReturnStream } from "#mapping";
import type { SandboxOptions } from "#sandbox";
import { openReader } from "../../../src/returns/read/open-reader.ts";
import { SetClock } from "../../kit/clock.ts";
import { brief, customerOf, knowing, reportStream, returnTenant } from "../tenant.ts";

const signal = AbortSignal.timeout(120_000);
const MINUTE = 60_000;

/** A tenant with a clock, a reader, and the cursor that a lane would keep. */
async function scene(options: SandboxOptions = {}, stream: Partial<ReturnStream> = {}, known: string[] = []) {
  const clock = new SetClock();
  const tenant = await returnTenant({ clock, ...options });
  const { sandbox, service } = tenant;
  const customer = customerOf(sandbox);
  const beginAt = clock.at;
  const store = {
    returns: knowing(known),
    boundTo: () => Promise.resolve(undefined),
    record: () => Promise.resolve(undefined),
    standings: { page: () => Promise.resolve({ standings: [], next: undefined }) },
  };
  const openNew = () => openReader({ service, store }, reportStream(stream));
  let reader = openNew();
  let cursor: JsonObject | null = null;
  /** One look, completely handled. */
  const look = async () => {
    // An answer tells the service's time.
    await service.ping(signal);
    const found: string[] = [];
    for await (const batch of reader.changed(cursor, beginAt, signal)) {
      found.push(...batch.listed.map(({ subject }) => subject));
      cursor = batch.cursor;
    }
    return found.map(Number);
  };
  const all = async () => {
    const found: string[] = [];
    for await (const listed of reader.all(beginAt, signal)) found.push(...listed.map(({ subject }) => subject));
    return found.map(Number).toSorted((one, other) => one - other);
  };
  return {
    tenant,
    clock,
    customer,
    look,
    all,
    approve: () => sandbox.people.approvedReport({ customer }).id,
    reader: () => reader,
    cursor: () => cursor,
    restart: () => (reader = openNew()),
    knows: (subject: number) => known.push(String(subject)),
    asked: () => brief(tenant.asked(), "svcDocument"),
    [Symbol.asyncDispose]: () => tenant[Symbol.asyncDispose](),
  };
}

describe("changed reports", () => {
  it("are those that were approved since the lane began, oldest first, each once", async () => {
    await using lane = await scene();
    const { clock, approve, look, tenant, customer } = lane;
    clock.advance(MINUTE);
    const ids = [approve(), approve(), approve()];
    tenant.sandbox.seed("svcDocument", [{ customer, approved: false }]);
    clock.advance(10_000);
    tenant.sandbox.people.edit("svcDocument", ids[0]!, { referenceNumber: "later" });
    clock.advance(10_000);
    expect(await look()).toEqual([ids[1], ids[2], ids[0]]);
    expect(await look()).toEqual([]);
    clock.advance(MINUTE);
    const next = approve();
    clock.advance(10_000);
    expect([await look(), await look()]).toEqual([[next], []]);
  });

  it("cost one request while nothing happens", async () => {
    await using lane = await scene();
    lane.clock.advance(MINUTE);
    lane.approve();
    lane.clock.advance(MINUTE);
    await lane.look();
    lane.asked();
    for (let at = 0; at < 3; at++) {
      lane.clock.advance(MINUTE);
      await lane.look();
    }
    expect(lane.asked().filter((url) => url.includes("changedSince"))).toHaveLength(3);
  });

  it("are shown again when the look was not completed, and after a restart", async () => {
    await using lane = await scene();
    lane.clock.advance(MINUTE);
    const ids = Array.from({ length: 120 }, lane.approve);
    lane.clock.advance(MINUTE);
    for await (const { listed, cursor } of lane.reader().changed(null, lane.clock.at - 2 * MINUTE, signal)) {
      expect([listed.length, cursor]).toMatchObject([100, { changed: lane.clock.at - 2 * MINUTE }]);
      break;
    }
    expect(await lane.look()).toEqual(ids);
    lane.restart();
    expect(await lane.look()).toEqual(ids);
    expect(await lane.look()).toEqual([]);
  });

  it("show a report whose lines changed without a change of its stamp, as long as the window overlaps", async () => {
    await using lane = await scene();
    lane.clock.advance(MINUTE);
    const id = lane.approve();
    lane.clock.advance(MINUTE);
    expect([await lane.look(), await lane.look()]).toEqual([[id], []]);
    const { sandbox, service } = lane.tenant;
    const stamp = async () => (await service.read("svcDocument", id, ["modified"], signal))?.["modified"];
    const before = await stamp();
    sandbox.people.changeLine("svcDocument", id, "edit");
    lane.clock.advance(MINUTE);
    expect([await lane.look(), await lane.look()]).toEqual([[id], []]);
    expect(await stamp()).toBe(before);
  });

  it("show a record that changed again within the moment of its stamp", async () => {
    await using lane = await scene();
    lane.clock.advance(MINUTE);
    const id = lane.approve();
    expect(await lane.look()).toEqual([id]);
    // Another edit with the same stamp.
    lane.tenant.sandbox.people.edit("svcDocument", id, { referenceNumber: "x" });
    lane.clock.advance(10_000);
    expect([await lane.look(), await lane.look()]).toEqual([[id], []]);
  });

  it("that appear up to five minutes late are not missed", async () => {
    await using lane = await scene();
    lane.clock.advance(10 * MINUTE);
    const [early] = lane.tenant.sandbox.seed("svcDocument", [
      { customer: lane.customer, approved: true, billable: true, modified: new Date(lane.clock.at).toISOString() },
    ]);
    lane.clock.advance(MINUTE);
    expect(await lane.look()).toEqual([early!.id]);
    const stamp = new Date(lane.clock.at - 4 * MINUTE).toISOString();
    const [late] = lane.tenant.sandbox.seed("svcDocument", [
      { customer: lane.customer, approved: true, billable: true, modified: stamp },
    ]);
    expect(await lane.look()).toEqual([late!.id]);
  });

  it("keep a stamp of the future from hiding what comes after", async () => {
    await using lane = await scene();
    lane.clock.advance(MINUTE);
    const modified = new Date(lane.clock.at + 30 * 24 * 60 * MINUTE).toISOString();
    const approved = { customer: lane.customer, approved: true, billable: true };
    const [future] = lane.tenant.sandbox.seed("svcDocument", [{ ...approved, modified }]);
    expect(await lane.look()).toEqual([future!.id]);
    lane.clock.advance(10 * MINUTE);
    const id = lane.approve();
    expect(await lane.look()).toContain(id);
  });

  it("are seen again at once when a begin of the future was moved back", async () => {
    await using lane = await scene();
    const future = lane.clock.at + 30 * 24 * 60 * MINUTE;
    let kept: JsonObject | null = null;
    for await (const { cursor } of lane.reader().changed(null, future, signal)) kept = cursor;
    lane.clock.advance(MINUTE);
    const id = lane.approve();
    lane.clock.advance(MINUTE);
    await lane.tenant.service.ping(signal);
    const found: string[] = [];
    const begin = lane.clock.at - 10 * MINUTE;
    for await (const { listed } of lane.reader().changed(kept, begin, signal))
      found.push(...listed.map(({ subject }) => subject));
    expect(found).toEqual([String(id)]);
  });

  it("include those whose approval was taken back, if the ERP was told of them", async () => {
    await using lane = await scene();
    lane.clock.advance(MINUTE);
    const [told, untold] = [lane.approve(), lane.approve()];
    lane.clock.advance(MINUTE);
    await lane.look();
    lane.knows(told);
    lane.clock.advance(MINUTE);
    lane.tenant.sandbox.people.takeBack(told);
    lane.tenant.sandbox.people.takeBack(untold);
    lane.clock.advance(10_000);
    expect(await lane.look()).toEqual([told]);
  });

  it("are all shown when a condition looks into lists, which rows do not show", async () => {
    await using lane = await scene({}, { reads: ["approved", "tasks.name"], isWanted: () => Promise.resolve(false) });
    lane.clock.advance(MINUTE);
    const id = lane.approve();
    lane.clock.advance(10_000);
    expect(await lane.look()).toEqual([id]);
  });

  it("are found although the tenant ignores changedSince", async () => {
    await using lane = await scene({ changedSince: false });
    lane.clock.advance(MINUTE);
    const id = lane.approve();
    lane.clock.advance(10_000);
    expect([await lane.look(), await lane.look()]).toEqual([[id], []]);
  });
});

/** A tenant on which it can be proven: there is an approved report already, handled by the first look. */
async function proven(options: SandboxOptions) {
  const lane = await scene(options);
  lane.clock.advance(MINUTE);
  const first = lane.approve();
  lane.clock.advance(MINUTE);
  const found = await lane.look();
  expect(found).toEqual([first]);
  lane.asked();
  return lane;
}
const next = async (lane: Awaited<ReturnType<typeof proven>>, minutes = 1) => {
  lane.clock.advance(minutes * MINUTE);
  const found = await lane.look();
  return { found, asked: lane.asked().map((url) => /approvedSince|changedSince/.exec(url)?.[0]) };
};
const warnings = (lane: Awaited<ReturnType<typeof proven>>) =>
  lane.tenant.log.filter(({ message }) => message === "filter of the service is wrong and no longer used").length;

describe("the filter approvedSince", () => {
  it("is used where it works, in one request; all changes are looked at every ten minutes", async () => {
    await using lane = await proven({ approvedSince: "works" });
    const id = lane.approve();
    expect(await next(lane)).toEqual({ found: [id], asked: ["approvedSince"] });
    expect(await next(lane)).toEqual({ found: [], asked: ["approvedSince"] });
    expect(await next(lane, 10)).toEqual({ found: [], asked: ["changedSince"] });
    expect(await next(lane)).toEqual({ found: [], asked: ["approvedSince"] });
    expect(warnings(lane)).toBe(0);
  });

  it.each(["ignored", "refused"] as const)(
    "is not used where it is %s, and nothing is missed",
    async (approvedSince) => {
      await using lane = await proven({ approvedSince });
      const id = lane.approve();
      expect(await next(lane)).toEqual({ found: [id], asked: ["changedSince"] });
    },
  );

  it("is tried again after an hour where there was no approved report to try it with", async () => {
    await using lane = await scene({ approvedSince: "works" });
    lane.clock.advance(MINUTE);
    await lane.look();
    lane.asked();
    lane.approve();
    expect((await next(lane)).asked).toEqual(["changedSince"]);
    expect((await next(lane, 70)).asked.at(-1)).toBe("changedSince");
    expect((await next(lane)).asked).toEqual(["approvedSince"]);
  });

  it("is given up as soon as a row shows that it does not work any more", async () => {
    await using lane = await proven({ approvedSince: "works" });
    expect((await next(lane)).asked).toEqual(["approvedSince"]);
    // The tenant now shows a report whose date does not fit.
    const id = lane.approve();
    const old = lane.approve();
    lane.tenant.sandbox.people.edit("svcDocument", old, { approvedDate: "9" });
    const { found, asked } = await next(lane);
    expect([found, asked]).toEqual([
      [id, old],
      ["approvedSince", "changedSince"],
    ]);
    expect(warnings(lane)).toBe(1);
    expect((await next(lane)).asked).toEqual(["changedSince"]);
  });

  it("is given up when it leaves out a report that all changes show", async () => {
    await using lane = await proven({ approvedSince: "wrong" });
    await next(lane);
    lane.clock.advance(5_000);
    const id = lane.approve();
    // It compares the day on which the work was finished.
    const finishedDate = new Date(lane.clock.at - 1_440 * MINUTE).toISOString();
    lane.tenant.sandbox.people.edit("svcDocument", id, { finishedDate });
    expect(await next(lane, 2)).toEqual({ found: [], asked: ["approvedSince"] });
    expect(await next(lane, 2)).toEqual({ found: [], asked: ["approvedSince"] });
    expect(await next(lane, 10)).toEqual({ found: [id], asked: ["changedSince"] });
    expect(warnings(lane)).toBe(1);
    expect((await next(lane)).asked).toEqual(["changedSince"]);
  });
});

describe("all final reports", () => {
  it("show in their heads that lines changed without a change of the stamp", async () => {
    await using lane = await scene();
    const id = lane.approve();
    await lane.tenant.service.ping(signal);
    const heads = async () => {
      const found = [];
      for await (const listed of lane.reader().all(0, signal)) found.push(...listed);
      return found;
    };
    const [before] = await heads();
    expect(await heads()).toEqual([before]);
    lane.tenant.sandbox.people.changeLine("svcDocument", id, "add");
    const [after] = await heads();
    expect(after?.subject).toBe(before?.subject);
    expect(after?.head).not.toBe(before?.head);
  });

  it("are found without any filter", async () => {
    await using lane = await scene({ statusFilter: "wrong", approvedSince: "wrong", changedSince: false });
    const { people } = lane.tenant.sandbox;
    const old = { approvedDate: "2020-01-01T00:00:00.000Z", finishedDate: "2020-01-01T00:00:00.000Z" };
    lane.tenant.sandbox.seed("svcDocument", [
      { customer: lane.customer, approved: true, billable: true, ...old, modified: old.approvedDate },
    ]);
    lane.clock.advance(MINUTE);
    const ids = Array.from({ length: 60 }, lane.approve);
    people.takeBack(ids[7]!);
    people.act(ids[8]!, "cancel");
    expect(await lane.all()).toEqual(ids.filter((id) => id !== ids[7] && id !== ids[8]));
    expect(lane.asked().filter((url) => /Since|status/.test(url))).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { RetryError, type Change } from "#model";
import { confirmMassChange, MassGuard, massHeldNote, Poller, PollPauses, stageByKey, streamStatus } from "#pipeline";
import { startSandbox, type Sandbox } from "#sandbox";
import type { SourceStream } from "#sources";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { texts } from "../journeys/stage.ts";
import { massConfirmedNote } from "../../src/pipeline/holds/mass-hold.ts";
import { DeliveryRig, streamsOf } from "./delivery-rig.ts";

const MINUTE = 60_000;
const STREAM = "departments";
const streams = (name = "name") =>
  streamsOf(
    JSON.stringify({
      sources: { erp: { adapter: "sql", url: "sqlite:erp.db" } },
      streams: {
        [STREAM]: { source: "erp", read: { table: "t", key: "k" }, resource: "department", fields: { name } },
      },
    }),
  );

const row = (at: number, name = `Department ${at}`, more = {}): Change => ({
  kind: "upsert",
  key: String(at),
  row: { name, ...more },
});
const rows = (from: number, to: number, name = (at: number) => `Department ${at}`, more = {}) =>
  Array.from({ length: to - from }, (_, at) => row(from + at, name(from + at), more));
const foreign = (at: number) => `Foreign ${at}`;
const unreachable = new RetryError("E_STORE_UNREACHABLE", "the store does not answer");

/** Departments in sync with a sandbox, a poller that reads `pages`, and the guard. */
class MassRig implements AsyncDisposable {
  readonly #sandbox: Sandbox;
  readonly rig: DeliveryRig;
  guard: MassGuard;
  readonly streams = streams();
  readonly #poller: Poller;
  /** What the next poll reads, and what happens before each page. */
  pages: (readonly Change[])[] = [];
  beforePage: (page: number) => Promise<void> = () => Promise.resolve();
  /** Whether the service can be asked for names. */
  isServed = true;
  stopped: unknown;
  /** Steps of the store that write and that the guard took; what happens at the one with this number. */
  steps = 0;
  failure: { readonly at: number; readonly isCommitted: boolean } | undefined;
  readonly #percent: number;

  private constructor(sandbox: Sandbox, rig: DeliveryRig, percent: number) {
    this.#sandbox = sandbox;
    this.rig = rig;
    this.#percent = percent;
    this.guard = this.#newGuard();
    const { store, clock } = rig;
    const common = { store, clock, logger: silentLogger };
    const source: SourceStream = {
      capabilities: { deletions: "flag" },
      changes: () => this.#changes(),
      readOne: () => Promise.resolve(undefined),
      async *keys() {},
      check: () => Promise.resolve([]),
    };
    this.#poller = new Poller({
      ...common,
      sources: new Map([[STREAM, source]]),
      sweeper: { sweepIfDue: () => Promise.resolve(0) },
      pauses: new PollPauses({ sourceOf: () => "erp", elapsed: () => clock.now() }),
      rounds: {
        begin: (stream) => this.guard.begin(stream),
        decide: (stream, signal) => this.guard.decide(stream, signal),
        end: (stream) => this.guard.end(stream),
      },
      observer: { staged: () => {}, polled: () => {}, pollFailed: () => {}, delivered: () => {} },
      nudge: () => {},
    });
  }

  #newGuard(): MassGuard {
    const { store, clock } = this.rig;
    return new MassGuard(
      {
        store: this.#failing(store),
        clock,
        logger: silentLogger,
        massGuard: { percent: this.#percent, count: 50 },
        openPlanner: () =>
          this.isServed
            ? this.rig.planner(this.streams)
            : Promise.reject(new RetryError("E_SERVICE_UNREACHABLE", "nobody answers")),
        released: () => {},
        stop: (error) => (this.stopped = error),
      },
      this.streams,
    );
  }

  /** A guard in another process. */
  restart(): void {
    this.guard = this.#newGuard();
  }

  /** The store over a network: a step that writes may fail before it is done, or be done without an answer. */
  #failing(store: DeliveryRig["store"]): DeliveryRig["store"] {
    const writes = ["saveNote", "replaceNote", "decide"];
    const through = <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get: (_, name) => {
          const value: unknown = Reflect.get(part, name, part);
          if (name === "rounds") return through(store.rounds);
          if (typeof value !== "function") return value;
          return async (...of: unknown[]): Promise<unknown> => {
            const isFailure = writes.includes(String(name)) && ++this.steps === this.failure?.at;
            if (isFailure && !this.failure!.isCommitted) throw unreachable;
            const answer: unknown = await Reflect.apply(value, part, of);
            if (isFailure) throw unreachable;
            return answer;
          };
        },
      });
    return through(store);
  }

  static async open(count: number, percent = 25): Promise<MassRig> {
    const sandbox = await startSandbox();
    const mass = new MassRig(sandbox, await DeliveryRig.open(sandbox), percent);
    await mass.poll(rows(0, count));
    await mass.deliver();
    return mass;
  }

  async *#changes() {
    for (const [at, changes] of this.pages.entries()) {
      await this.beforePage(at);
      yield { changes, cursor: at };
    }
  }

  async poll(...pages: (readonly Change[])[]): Promise<void> {
    this.rig.clock.advance(1_000);
    this.pages = pages;
    await this.#poller.poll(STREAM, never);
  }

  deliver = () => this.rig.run(this.streams);
  due = async () => (await this.rig.store.due({ limit: 1_000, streams: [STREAM] })).length;
  held = () => this.rig.store.note(massHeldNote(STREAM));
  writtenNames = () => texts(this.#sandbox, "department", "name");
  writtenForeign = () => this.writtenNames().filter((name) => name.startsWith("Foreign")).length;

  /** Lets the guard's loop look until this holds. */
  async until(holds: () => Promise<boolean>): Promise<void> {
    const looking = new AbortController();
    const running = this.guard.run(looking.signal);
    while (!(await holds())) await new Promise(setImmediate);
    looking.abort();
    await running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
    await this.#sandbox[Symbol.asyncDispose]();
  }
}

describe("a mass change in the ERP", () => {
  it("is held with a plan, while the others of the stream are delivered, and written once a person confirms it", async () => {
    await using mass = await MassRig.open(220);
    await mass.poll([...rows(0, 60, foreign), row(500, "New one")]);
    await mass.deliver();
    expect(mass.writtenForeign()).toBe(0);
    expect(mass.writtenNames()).toContain("New one");
    const held = await mass.held();
    expect(held).toMatchObject({ updates: 60, bound: 220 });
    // A record that the round did not change is still kept up to date.
    await mass.poll([row(100, "Live one")]);
    await mass.deliver();
    expect(mass.writtenNames()).toContain("Live one");
    const [status] = await streamStatus(mass.rig.store, mass.streams, mass.rig.clock);
    expect(status).toMatchObject({ state: "held", holds: [{ kind: "mass", needsPerson: true }] });
    expect(status!.attention[0]).toContain(`60 of 220 bound records`);
    expect(status!.attention[0]).toContain(`--confirm ${held!.plan}`);
    await confirmMassChange(mass.rig.store, STREAM, held!.plan!);
    await mass.until(async () => (await mass.held()) === undefined);
    await mass.deliver();
    expect(mass.writtenForeign()).toBe(60);
  });

  it("gives no record to any worker while its poll is still reading", async () => {
    await using mass = await MassRig.open(100);
    const claims: unknown[] = [];
    mass.beforePage = async (page) => {
      if (page >= 2) claims.push(await mass.rig.store.claim({ stream: STREAM, key: "0" }), await mass.held());
    };
    await mass.poll(rows(0, 20, foreign), rows(20, 40, foreign), rows(40, 60, foreign), rows(60, 80, foreign));
    expect(claims).toEqual([undefined, undefined, undefined, undefined]);
    await mass.deliver();
    expect(mass.writtenForeign()).toBe(0);
    expect(await mass.held()).toMatchObject({ updates: 80, bound: 100 });
  });

  it("counts as one when it arrives in several polls, some of which fail", async () => {
    await using mass = await MassRig.open(120);
    for (const at of [0, 20, 40]) {
      mass.beforePage = (page) =>
        page === 2 ? Promise.reject(new RetryError("E_SOURCE_UNREACHABLE", "gone")) : Promise.resolve();
      await mass.poll(rows(at, at + 20, foreign), [], []);
      mass.rig.clock.advance(MINUTE);
      await mass.deliver();
    }
    // What the first polls brought was still a trickle.
    expect(mass.writtenForeign()).toBe(40);
    expect(await mass.held()).toMatchObject({ updates: 20, bound: 120 });
  });

  it("is noticed in rows that are read by key", async () => {
    await using mass = await MassRig.open(100);
    const reads = {
      readOne: (key: string) => Promise.resolve({ name: foreign(Number(key)) }),
    };
    const keys = rows(0, 100).map(({ key }) => key);
    await stageByKey(mass.rig.store, { stream: STREAM, reads }, keys, { signal: never });
    await mass.deliver();
    expect(mass.writtenForeign()).toBe(0);
    await mass.until(async () => (await mass.held()) !== undefined);
    expect(await mass.held()).toMatchObject({ updates: 100 });
  });

  it("ends by itself when the ERP goes back to the old values, at once or row by row", async () => {
    await using mass = await MassRig.open(100);
    await mass.poll(rows(0, 100, foreign));
    await mass.poll(rows(0, 100));
    expect(await mass.held()).toBeUndefined();
    await mass.poll(rows(0, 60, foreign));
    const held = await mass.held();
    for (const at of [0, 10]) await mass.poll(rows(at, at + 10));
    await mass.until(async () => (await mass.held()) === undefined);
    await mass.deliver();
    expect(held).toMatchObject({ updates: 60 });
    // 40 changes are no mass change.
    expect(mass.writtenForeign()).toBe(40);
  });

  it("is not counted again while a poll still reads what the ERP takes back", async () => {
    await using mass = await MassRig.open(100);
    await mass.poll(rows(0, 79, foreign));
    // Another process plans what it finds held at its first look.
    mass.restart();
    const written: number[] = [];
    mass.beforePage = async (page) => {
      if (page < 2) return;
      let turns = 0;
      await mass.until(() => Promise.resolve(++turns > 1_000));
      await mass.deliver();
      written.push(mass.writtenForeign());
    };
    await mass.poll(rows(0, 74), [], rows(74, 79));
    mass.beforePage = () => Promise.resolve();
    await mass.until(async () => (await mass.held()) === undefined);
    await mass.deliver();
    expect([...written, mass.writtenForeign()]).toEqual([0, 0]);
  });

  it("keeps its plan while single records change, and gets another when many do", async () => {
    await using mass = await MassRig.open(100);
    await mass.poll(rows(0, 100, foreign));
    const first = await mass.held();
    await mass.poll([row(3, "Foreign, too")]);
    expect((await mass.held())?.plan).toBe(first?.plan);
    await mass.poll(rows(0, 100, (at) => `Foreign twice ${at}`));
    const second = await mass.held();
    expect(second?.plan).not.toBe(first?.plan);
    await confirmMassChange(mass.rig.store, STREAM, first!.plan!);
    await mass.poll([]);
    await mass.until(async () => (await mass.rig.store.note(massConfirmedNote(STREAM))) === undefined);
    await mass.deliver();
    expect(mass.writtenForeign()).toBe(0);
    expect(await mass.held()).toEqual(second);
  });

  it("that comes while a person confirms an earlier one is not confirmed with it", async () => {
    await using mass = await MassRig.open(100);
    await mass.poll(rows(0, 100, foreign));
    const first = await mass.held();
    mass.beforePage = async (page) => {
      if (page !== 1) return;
      await confirmMassChange(mass.rig.store, STREAM, first!.plan!);
      await mass.until(async () => (await mass.held()) === undefined);
    };
    await mass.poll(
      rows(0, 60, (at) => `Foreign twice ${at}`),
      [],
    );
    await mass.deliver();
    expect(mass.writtenForeign()).toBe(40);
    expect(await mass.held()).toMatchObject({ updates: 60 });
  });

  it("is held until the service can be asked for the names that the count needs", async () => {
    await using mass = await MassRig.open(100);
    mass.isServed = false;
    await mass.poll(rows(0, 100, foreign));
    await mass.deliver();
    const [status] = await streamStatus(mass.rig.store, mass.streams, mass.rig.clock);
    expect(status!.holds).toMatchObject([{ kind: "mass", needsPerson: false }]);
    expect(mass.writtenForeign()).toBe(0);
    mass.isServed = true;
    await mass.poll([row(1, "Foreign, last")]);
    expect(await mass.held()).toMatchObject({ updates: 100, plan: expect.any(String) });
  });

  it("does not exist for rows that change in columns which are not mapped", async () => {
    await using mass = await MassRig.open(100);
    for (const seen of [1, 2, 3, 4]) {
      await mass.poll(rows(0, 30, undefined, { seen }));
      await mass.deliver();
      await mass.poll(rows(30, 100, undefined, { seen }));
      await mass.deliver();
      expect(await mass.held()).toBeUndefined();
    }
    await mass.poll([row(5, "Live one", { seen: 5 })]);
    await mass.deliver();
    expect(mass.writtenNames()).toContain("Live one");
  });

  it("is not looked for when the guard is off", async () => {
    await using mass = await MassRig.open(100, 100);
    await mass.poll(rows(0, 100, foreign));
    await mass.deliver();
    expect(mass.writtenForeign()).toBe(100);
  });
});

describe("a mass change whose decision the store breaks off", () => {
  const failures = [
    { isCommitted: false, isKilled: false },
    { isCommitted: true, isKilled: false },
    { isCommitted: true, isKilled: true },
  ];

  /**
   * Holds 60 of 60 records, then lets each step fail that `act` takes in the store; where this process ends there, another one continues.
   * Returns how many steps there are.
   */
  async function eachFailure(
    act: (mass: MassRig) => Promise<void>,
    expectEnd: (mass: MassRig) => Promise<void>,
  ): Promise<number> {
    await using mass = await MassRig.open(60);
    for (let at = 1; ; at++)
      for (const { isCommitted, isKilled } of failures) {
        mass.failure = undefined;
        mass.rig.clock.advance(11 * MINUTE);
        await mass.poll(rows(0, 60, foreign));
        expect(await mass.held()).toMatchObject({ updates: 60 });
        mass.steps = 0;
        mass.failure = { at, isCommitted };
        await act(mass);
        if (mass.steps < at) return at - 1;
        if (isKilled) mass.restart();
        await mass.until(async () => (await mass.held()) === undefined);
        await expectEnd(mass);
        mass.failure = undefined;
        await mass.poll(rows(0, 60));
        await mass.deliver();
        expect(await mass.held()).toBeUndefined();
        expect(mass.writtenForeign()).toBe(0);
      }
  }

  it("ends at the next look although a step of its end failed", async () => {
    const steps = await eachFailure(
      (mass) => mass.poll(rows(0, 60)),
      async (mass) => {
        await mass.poll([row(1, "Live one")]);
        await mass.deliver();
        expect(mass.writtenForeign()).toBe(0);
        expect(mass.writtenNames()).toContain("Live one");
      },
    );
    expect(steps).toBeGreaterThan(3);
  });

  it("ends at the next look although a step failed while single records went back", async () => {
    const steps = await eachFailure(
      (mass) => mass.poll(rows(0, 40)),
      async (mass) => expect(await mass.due()).toBe(60),
    );
    expect(steps).toBeGreaterThan(0);
  });

  it("keeps a person's confirmation until it is carried out", async () => {
    const steps = await eachFailure(
      async (mass) => {
        await confirmMassChange(mass.rig.store, STREAM, (await mass.held())!.plan!);
        await mass.poll([]);
      },
      async (mass) => expect(await mass.due()).toBe(60),
    );
    expect(steps).toBeGreaterThan(2);
  });

  it("stays held with its plan when later changes cannot be counted for longer than a round", async () => {
    await using mass = await MassRig.open(200);
    await mass.poll(rows(0, 60, foreign));
    const held = await mass.held();
    await mass.poll(rows(60, 100, (at) => `Live ${at}`));
    await mass.deliver();
    mass.isServed = false;
    await mass.poll(rows(100, 120, (at) => `Live ${at}`));
    expect(await mass.held()).toEqual(held);
    mass.rig.clock.advance(11 * MINUTE);
    mass.isServed = true;
    await mass.poll([]);
    await mass.deliver();
    expect(mass.writtenForeign()).toBe(0);
    expect(await mass.held()).toEqual(held);
    expect(mass.writtenNames()).toContain("Live 119");
  });

  it("does not leave a hold behind of which nothing is left to count", async () => {
    await using mass = await MassRig.open(100);
    mass.isServed = false;
    await mass.poll(rows(0, 100, foreign));
    expect(await mass.held()).toMatchObject({ plan: null });
    mass.isServed = true;
    mass.failure = { at: mass.steps + 3, isCommitted: false };
    await mass.poll(rows(0, 100));
    expect(await mass.held()).toMatchObject({ plan: null });
    mass.restart();
    await mass.until(async () => (await mass.held()) === undefined);
  });

  it("counts what stays held as nothing that was written", async () => {
    await using mass = await MassRig.open(200);
    await mass.poll(rows(100, 150, (at) => `Live ${at}`));
    await mass.deliver();
    mass.rig.clock.advance(11 * MINUTE);
    await mass.poll(rows(0, 60, foreign));
    const held = await mass.held();
    for (const again of [1, 2, 3]) await mass.poll(rows(0, 20, (at) => `Foreign ${again}.${at}`));
    expect((await mass.held())?.plan).toBe(held?.plan);
  });
});

describe("a normal month of an ERP", () => {
  it("is never held: daily edits, a tidy-up of a fifth, a new branch, an upgrade that touches each row", async () => {
    const count = 240;
    await using mass = await MassRig.open(count);
    const names = new Map<number, string>();
    const edit = (from: number, to: number, name: string) => {
      for (let at = from; at < to; at++) names.set(at, `${name} ${at}`);
      return rows(from, to, (at) => names.get(at)!);
    };
    for (let day = 1; day <= 22; day++) {
      for (let hour = 0; hour < 4; hour++) {
        const at = (day * 37 + hour * 11) % (count - 10);
        await mass.poll(edit(at, at + 4 + hour, `Edited ${day}.${hour}`));
        mass.rig.clock.advance(120 * MINUTE);
      }
      // Somebody corrects the names of one postcode area.
      if (day === 5) await mass.poll(edit(0, count / 5, "Tidied"));
      // A branch moves in: new records are no changes.
      if (day === 9) await mass.poll(rows(count, count + 150));
      // The upgrade of the ERP touches each row, but in a column that is not mapped.
      if (day === 15) await mass.poll(rows(0, count, (at) => names.get(at) ?? `Department ${at}`, { version: 2 }));
      mass.rig.clock.advance(16 * 60 * MINUTE);
      await mass.deliver();
      expect(await mass.held()).toBeUndefined();
    }
  });
});

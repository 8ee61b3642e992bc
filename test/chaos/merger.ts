import { sleep, type JsonObject } from "#model";
import type { Fault } from "#sandbox";
import { mergesNote } from "../../src/pipeline/notes.ts";
import type { Dice } from "./dice.ts";
import type { ErpActor } from "./erp-actor.ts";
import type { ForeignActor } from "./foreign-actor.ts";
import { keyOf } from "./merged.ts";
import { SETTLE_LAG_SECONDS, type Desk } from "./rig.ts";

type Ticket = JsonObject & { readonly id: number };

/** How long a request is held so that the merge meets it under way. */
const HELD_MS = 500;
const PATIENCE_MS = 5_000;
const LOOK_MS = 3;
const LEARN_EVERY_MS = 2_000;
/** What was sent before svcsync learned of a merge is carried out this late at most. */
const LATE_MS = (SETTLE_LAG_SECONDS + 3) * 1_000;

/** From when on svcsync knew of a merge, and until when: a store that is put back forgets it. */
interface Learned {
  readonly id: number;
  readonly from: number;
  until: number;
}

/** A person in the service who merges tickets: into ones made by hand, into others of the ERP, in chains, and while svcsync writes. */
export class Merger {
  /** Merges by kind. */
  readonly merges = new Map<string, number>();
  /** Tickets that people made in the service. */
  readonly byHand = new Set<number>();
  readonly #desk: Desk;
  readonly #people: ErpActor;
  readonly #foreigners: ForeignActor;
  readonly #dice: Dice;
  readonly #learned: Learned[] = [];

  constructor(desk: Desk, people: ErpActor, foreigners: ForeignActor, dice: Dice) {
    this.#desk = desk;
    this.#people = people;
    this.#foreigners = foreigners;
    this.#dice = dice;
    desk.door.onReplace(() => this.#forget());
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#merge(signal), this.#learn(signal)]);
  }

  /** So that svcsync writes each ticket once more that it may not know to be merged. */
  settle(): void {
    const { sandbox, erp } = this.#desk;
    const merged = new Set(sandbox.records("ticket").flatMap((each) => (isMerged(each) ? [keyIn(each)] : [])));
    for (const { ticket_no, deleted } of erp.all("tickets"))
      if (!deleted && merged.has(ticket_no)) this.#people.rewrite(ticket_no);
  }

  /** Writes to a ticket that svcsync knew to be merged. */
  lateWrites(): string[] {
    return this.#learned.flatMap(({ id, from, until }) =>
      this.#desk.sandbox.ledger
        .writes({ resource: "ticket", id, action: "edit" })
        .filter(({ at }) => at > from + LATE_MS && at < until)
        .map(({ at }) => `ticket ${id} was written ${at - from} ms after svcsync knew that it was merged`),
    );
  }

  async #merge(signal: AbortSignal): Promise<void> {
    await sleep(this.#dice.between(4_000, 7_000), signal);
    while (!signal.aborted) {
      await this.#dice.weighted<() => unknown>([
        [4, () => this.#into("into one made by hand", this.#source(), () => this.#made())],
        [2, () => this.#into("into another one of the ERP", this.#source(), () => this.#source())],
        [3, () => this.#chain(signal)],
        [3, () => this.#whileEdited(signal)],
        [2, () => this.#whileOrdered(signal)],
        [2, () => this.#whileCreated(signal)],
      ])();
      await sleep(this.#dice.between(700, 2_500), signal);
    }
  }

  async #chain(signal: AbortSignal): Promise<void> {
    const middle = this.#into("in a chain", this.#source(), () => this.#made());
    await sleep(this.#dice.between(0, 2_500), signal);
    if (middle) this.#into("in a chain", this.#ticket(middle.id), () => this.#made());
  }

  /** While an edit of the ticket is under way: before it is carried out, or before it is answered. */
  async #whileEdited(signal: AbortSignal): Promise<void> {
    const source = this.#source();
    if (!source) return;
    const fault = { ...this.#held(), method: "PUT", path: `*/ticket/${source.id}?*` } as const;
    await this.#whileHeld(fault, signal, {
      cause: () => this.#people.rewrite(keyIn(source)),
      merge: () => void this.#into("while it was edited", this.#ticket(source.id), () => this.#made()),
    });
  }

  /** While an order is created below the ticket. */
  async #whileOrdered(signal: AbortSignal): Promise<void> {
    const source = this.#source();
    if (!source) return;
    const fault = { ...this.#held(), method: "POST", resource: "svcDocument" } as const;
    await this.#whileHeld(fault, signal, {
      cause: () => this.#people.order(keyIn(source)),
      merge: () => this.#into("while an order was created", this.#ticket(source.id), () => this.#made()),
    });
  }

  /** While the ticket is created: its answer is not there yet, or never comes. */
  async #whileCreated(signal: AbortSignal): Promise<void> {
    const last = this.#desk.sandbox.records("ticket").at(-1)?.id ?? 0;
    const after = { method: "POST", resource: "ticket", count: 1 } as const;
    const fault: Fault = this.#dice.chance(0.5)
      ? { ...after, kind: "latency", when: "after", ms: HELD_MS }
      : { ...after, kind: "cut", when: "after" };
    await this.#whileHeld(fault, signal, {
      cause: () => this.#people.ticket(),
      merge: () => {
        const created = this.#desk.sandbox.records("ticket").find(({ id }) => id > last && !this.byHand.has(id));
        this.#into("while it was created", created, () => this.#made());
      },
    });
  }

  #held() {
    return { kind: "latency", when: this.#dice.pick(["before", "after"] as const), ms: HELD_MS, count: 1 } as const;
  }

  async #whileHeld(
    fault: Fault,
    signal: AbortSignal,
    { cause, merge }: { readonly cause: () => void; readonly merge: () => void },
  ): Promise<void> {
    const { faults } = this.#desk.sandbox;
    const id = faults.add(fault);
    cause();
    const deadline = performance.now() + PATIENCE_MS;
    let struck = false;
    while (!struck && !signal.aborted && performance.now() < deadline) {
      await sleep(LOOK_MS);
      struck = faults.list().some((armed) => armed.id === id && armed.hits > 0);
    }
    if (struck) merge();
    faults.clear(id);
  }

  /** As the service does it, in one step: what hangs on the ticket goes over, and its tags too. */
  #into(kind: string, source: Ticket | undefined, into: () => Ticket | undefined): Ticket | undefined {
    if (!source || isMerged(source)) return undefined;
    const target = into();
    if (!target || source.id === target.id) return undefined;
    const { sandbox } = this.#desk;
    const now = { modified: new Date().toISOString() };
    for (const document of sandbox.records("svcDocument"))
      if (document["ticket"] === source.id) sandbox.seed("svcDocument", [{ ...document, ticket: target.id, ...now }]);
    sandbox.seed("ticket", [{ ...source, mergedToTicket: target.id, ...now }]);
    const tags = [...new Set([source, target].flatMap((each) => each["tags"] ?? []))].flat();
    sandbox.seed("ticket", [{ ...target, tags, ...now }]);
    this.#foreigners.merged(source.id, target.id);
    this.merges.set(kind, (this.merges.get(kind) ?? 0) + 1);
    this.#desk.note(`ticket ${source.id} (${keyIn(source)}) was merged into ${target.id} (${keyIn(target)}) ${kind}`);
    return target;
  }

  /** A ticket that a person made, now: the first ones must be svcsync's, or it asks what those are that it does not know. */
  #made(): Ticket {
    const { sandbox } = this.#desk;
    const first = (resource: string) => sandbox.records(resource)[0]?.id ?? null;
    const [made] = sandbox.seed("ticket", [
      { description: "von Hand", priority: first("priority"), ticketStatus: first("ticketStatus"), tags: [] },
    ]);
    this.byHand.add(made!.id);
    return made!;
  }

  /** A ticket that the ERP knows and that nobody has merged. */
  #source(): Ticket | undefined {
    const { sandbox, erp } = this.#desk;
    const known = new Set(erp.all("tickets").flatMap((row) => (row.deleted ? [] : [row.ticket_no])));
    const all = sandbox.records("ticket").filter((each) => !isMerged(each) && known.has(keyIn(each)));
    return all.length === 0 ? undefined : this.#dice.pick(all);
  }

  #ticket(id: number): Ticket | undefined {
    return this.#desk.sandbox.record("ticket", id);
  }

  /** Reads again and again which merges svcsync knows. */
  async #learn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#desk.door.with(() => this.#look()).catch(() => undefined);
      await sleep(LEARN_EVERY_MS, signal);
    }
  }

  async #look(): Promise<void> {
    await using store = await this.#desk.openStore();
    const known = (await store.note(mergesNote("ticket"))) ?? {};
    const open = new Set(this.#learned.flatMap(({ id, until }) => (until === Infinity ? [id] : [])));
    for (const id of Object.keys(known).map(Number))
      if (!open.has(id)) this.#learned.push({ id, from: Date.now(), until: Infinity });
  }

  #forget(): void {
    for (const each of this.#learned) each.until = Math.min(each.until, Date.now());
  }
}

function isMerged(ticket: JsonObject): boolean {
  return typeof ticket["mergedToTicket"] === "number";
}

function keyIn(ticket: JsonObject): string {
  return keyOf(ticket["erpReferenceNumber"]);
}

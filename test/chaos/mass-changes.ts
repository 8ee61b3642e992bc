import Database from "better-sqlite3";
import { canonicalJson, isJsonObject, sleep, type Json, type Row, type ServiceId } from "#model";
import { massHeldNote } from "#pipeline";
import type { RecordView } from "#store";
import { heldNote } from "../../src/pipeline/notes.ts";
import type { Dice } from "./dice.ts";
import type { ErpActor } from "./erp-actor.ts";
import { keyInInfo } from "./expected.ts";
import type { Operator } from "./operator.ts";
import type { Desk } from "./rig.ts";

/** A stream in which a column of all rows is changed at once. */
interface Kind {
  readonly stream: "contacts" | "tickets";
  readonly resource: "customerContact" | "ticket";
  readonly column: string;
  readonly field: string;
  readonly keys: readonly string[];
}

const KINDS: readonly Kind[] = [
  {
    stream: "contacts",
    resource: "customerContact",
    column: "phone",
    field: "telephone",
    keys: ["customer_no", "contact_no"],
  },
  { stream: "tickets", resource: "ticket", column: "subject", field: "description", keys: ["ticket_no"] },
];
const STREAMS = ["customers", "contacts", "tickets", "orders"];

/** Well above what the guard lets through: more than 50 records and more than a quarter of those that are bound. */
const ENOUGH = 70;
/** So often svcsync reads the stream before it is blamed, and for so long it is waited at least. */
const POLLS = 100;
const PATIENCE_MS = 300_000;
/** A stream that svcsync does not read to its end for so long is a fault of its own, on any machine. */
const UNREAD_MS = 900_000;
/** A stream that is not in step within this time is left alone: others wait for the store. */
const READY_WITHIN_MS = 30_000;
const LOOK_MS = 400;
const ATTEND_MS = 2_000;
/** A stream may have too few records for longer than this. */
const STRUCK_WITHIN_MS = 120_000;
const GAP_MS = { from: 4_000, to: 12_000 };

/** Who may not be written with the mark before a person has released the round. */
interface Round {
  readonly mark: string;
  readonly kind: Kind;
  /** The records of the service that were bound when the ERP changed. */
  readonly bound: ReadonlySet<ServiceId>;
  /** The same records by key, as svcsync had read and delivered them. */
  readonly inStep: ReadonlyMap<string, RecordView>;
  /** When a person released it; Infinity where the ERP took it back. */
  releasedAt: number;
}

/**
 * An ERP in which most rows of a table change at once, by mistake or not. The guard has to hold them. The operator releases what is
 * meant; the ERP takes back what is not. What so many small changes hold in a run is released too.
 */
export class MassChanges {
  readonly #facts = new Map<string, number>();
  /** A hold that never came, or never ended. */
  readonly complaints: string[] = [];
  readonly #desk: Desk;
  readonly #people: ErpActor;
  readonly #operator: Operator;
  readonly #dice: Dice;
  readonly #rounds: Round[] = [];
  readonly #struck = Promise.withResolvers<void>();

  constructor(desk: Desk, people: ErpActor, operator: Operator, dice: Dice) {
    this.#desk = desk;
    this.#people = people;
    this.#operator = operator;
    this.#dice = dice;
  }

  /** Resolves when one was released and another one taken back, or when that takes too long. */
  async struck(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#struck.promise, sleep(STRUCK_WITHIN_MS, signal)]);
  }

  /** Changes a table, and sees it through, again and again until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    let isMeant = this.#dice.chance(0.5);
    for (let done = 0; !signal.aborted;) {
      await sleep(this.#dice.between(GAP_MS.from, GAP_MS.to), signal);
      if (signal.aborted) return;
      const kinds = KINDS.filter(({ stream }) => this.#people.live(stream).length > ENOUGH);
      if (kinds.length === 0) continue;
      const kind = this.#dice.pick(kinds);
      // Nobody puts another store in place meanwhile: that one may not know what is bound.
      if (!(await this.#desk.door.with(() => this.#strike(kind, isMeant)))) continue;
      isMeant = !isMeant;
      done += 1;
      if (done === 2) this.#struck.resolve();
    }
  }

  /** Releases what the guard holds although it is only the many small changes of a run, until the signal is aborted. */
  async attend(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(ATTEND_MS, signal);
      // The store may be away.
      await this.#desk.door.with(() => this.#releaseAll()).catch(() => undefined);
    }
  }

  /** What happened, by name. */
  counts(): Record<string, number> {
    return { ...Object.fromEntries(this.#facts), heldButWritten: this.writtenBefore().length };
  }

  /** Records that were written although nobody had released the round. */
  writtenBefore(): string[] {
    const { ledger } = this.#desk.sandbox;
    return this.#rounds.flatMap(({ mark, kind: { resource, field }, bound, releasedAt }) =>
      ledger
        .writes({ resource, action: "edit" })
        .filter(({ id, at, sent }) => bound.has(id) && at < releasedAt && holds(sent, field, mark))
        .map(({ id }) => `${resource} ${id} was written with "${mark}" before it was released`),
    );
  }

  /** Whether it came to a mass change. */
  async #strike(kind: Kind, isMeant: boolean): Promise<boolean> {
    const inStep = new Map<string, RecordView>();
    const isReady = async () => {
      for (const view of await this.#bound(kind)) inStep.set(view.id.key, view);
      return inStep.size > 0;
    };
    if (!(await this.#soon(isReady))) return false;
    const bound = new Set([...inStep.values()].map(({ binding }) => binding!.serviceId));
    const round: Round = { mark: `Masse ${this.#rounds.length + 1}`, kind, bound, inStep, releasedAt: Infinity };
    this.#rounds.push(round);
    const takeBack = this.#mark(round);
    this.#count("massChanges");
    const isHeld = async () => (await this.#updatesHeld(kind)) >= bound.size / 2;
    if (await this.#unless(kind, isHeld, `"${round.mark}" in ${bound.size} records was never held`)) {
      this.#count("massChangesHeld");
      if (isMeant) await this.#confirm(round);
      else await this.#expectEnd(round, takeBack);
    } else round.releasedAt = Date.now();
    return true;
  }

  /** A stream's records that are bound and in step, where these are enough. What is held before is released first. */
  async #bound({ stream }: Kind): Promise<readonly RecordView[]> {
    const [held] = await this.#heldOf([stream]);
    if (held) {
      if (await this.#confirmed(stream, held.plan)) this.#count("otherRoundsReleased");
      return [];
    }
    if (await this.#isHeldOtherwise(stream)) return [];
    await using store = await this.#desk.openStore();
    const live = new Set(this.#people.live(stream));
    const applied = await store.records({ stream, states: ["applied"], limit: 10_000 });
    const found = applied.filter(({ id, binding }) => binding !== undefined && live.has(id.key));
    return found.length >= ENOUGH && found.length > applied.length / 2 ? found : [];
  }

  /** Changes all live rows in one transaction. Returns what takes it back, in another one. */
  #mark({ mark, kind: { stream, column, keys } }: Round): () => void {
    const database = new Database(this.#desk.erp.path, { timeout: 5_000 });
    const where = keys.map((key) => `${key} = @${key}`).join(" AND ");
    const before = database.prepare<[], object>(
      `SELECT ${[...keys, column].join(", ")} FROM ${stream} WHERE deleted = 0`,
    );
    const set = database.prepare(`UPDATE ${stream} SET ${column} = @mark, updated_at = @now WHERE deleted = 0`);
    const put = database.prepare(
      `UPDATE ${stream} SET ${column} = @${column}, updated_at = @now WHERE ${where} AND ${column} = @mark`,
    );
    const now = () => ({ mark, now: new Date().toISOString().replace("T", " ").slice(0, -1) });
    const rows = database.transaction(() => {
      const all = before.all();
      set.run(now());
      return all;
    })();
    database.close();
    return () => {
      const again = new Database(this.#desk.erp.path, { timeout: 5_000 });
      const statement = again.prepare(put.source);
      again.transaction(() => {
        for (const row of rows) statement.run({ ...row, ...now() });
      })();
      again.close();
    };
  }

  /** What is not part of the round goes on; then a person releases it. */
  async #confirm(round: Round): Promise<void> {
    const { stream, resource } = round.kind;
    let key = this.#enter(stream);
    const arrived = () => {
      if (!this.#people.live(stream).includes(key)) key = this.#enter(stream);
      return this.#desk.sandbox.ledger
        .writes({ resource, action: "create" })
        .some(({ record }) => record && (record["erpReferenceNumber"] === key || keyInInfo(record) === key));
    };
    if (await this.#unless(round.kind, async () => arrived(), "a new record did not arrive while others were held"))
      this.#count("recordsThatWentOnMeanwhile");
    round.releasedAt = Date.now();
    const release = async () => {
      const [held] = await this.#heldOf([stream]);
      // So much may have changed meanwhile that it ended by itself.
      return held === undefined || this.#confirmed(stream, held.plan);
    };
    if (await this.#unless(round.kind, release, `"${round.mark}" could not be released`))
      this.#count("massChangesReleased");
  }

  /** A new row of a customer that the service has. */
  #enter(stream: Kind["stream"]): string {
    const { sandbox, erp } = this.#desk;
    const there = new Set(sandbox.records("customer").map((each) => each["customerId"]));
    const known = erp.all("customers").filter((row) => !row.deleted && there.has(row.customer_no));
    return this.#people.enter(stream, this.#dice.pick(known).customer_no);
  }

  /** The ERP takes it back: the hold has to end, or to be about what else has changed. */
  async #expectEnd(round: Round, takeBack: () => void): Promise<void> {
    const { kind, mark } = round;
    takeBack();
    const isOver = async () => {
      const updates = await this.#updatesHeld(kind);
      return updates === 0 || updates <= (await this.#changedOtherwise(round));
    };
    if (await this.#unless(kind, isOver, `the hold of "${mark}" did not end although the ERP took it back`))
      this.#count("massChangesTakenBack");
  }

  /**
   * How many records the guard has that are not as they were in step: other people work in the ERP too. A row that still has the mark is the
   * round's own: svcsync has not read yet that the ERP took it back.
   */
  async #changedOtherwise({ kind: { stream, column }, mark, inStep }: Round): Promise<number> {
    await using store = await this.#desk.openStore();
    const guarded = await store.records({ stream, states: ["due"], limit: 10_000 });
    return guarded.filter(({ id, isGuarded, row, appliedSequence }) => {
      const before = inStep.get(id.key);
      const isAsBefore =
        before !== undefined && before.appliedSequence === appliedSequence && content(before.row) === content(row);
      return isGuarded === true && !isAsBefore && row[column] !== mark;
    }).length;
  }

  async #releaseAll(): Promise<void> {
    for (const { stream, plan } of await this.#heldOf(STREAMS))
      if (await this.#confirmed(stream, plan)) this.#count("otherRoundsReleased");
  }

  async #confirmed(stream: string, plan: string): Promise<boolean> {
    return (await this.#operator.svcsync("plan", stream, "--confirm", plan)).code === 0;
  }

  async #updatesHeld({ stream }: Kind): Promise<number> {
    return (await this.#heldOf([stream]))[0]?.updates ?? 0;
  }

  /** What is held and has been counted. Throws while the store is away. */
  async #heldOf(streams: readonly string[]): Promise<{ stream: string; plan: string; updates: number }[]> {
    await using store = await this.#desk.openStore();
    const found = [];
    for (const stream of streams) {
      const held = await store.note(massHeldNote(stream));
      if (held?.plan) found.push({ stream, plan: held.plan, updates: held.updates });
    }
    return found;
  }

  /** Waits until it holds; complains if it never does, unless the stream is held because a store was put back before. */
  async #unless({ stream }: Kind, holds: () => Promise<boolean>, complaint: string): Promise<boolean> {
    let came = false;
    let isHeldOtherwise = false;
    const isOver = async () => {
      came = await holds();
      if (!came) isHeldOtherwise = await this.#isHeldOtherwise(stream);
      return came || isHeldOtherwise;
    };
    if (!(await this.#until(stream, isOver))) this.complaints.push(`${stream}: ${complaint}`);
    if (isHeldOtherwise) this.#count("massChangesAmongOtherHolds");
    return came;
  }

  async #isHeldOtherwise(stream: string): Promise<boolean> {
    await using store = await this.#desk.openStore();
    const held = await Promise.all([stream, "customers"].map((each) => store.note(heldNote(each))));
    return held.some((each) => each !== undefined);
  }

  /** Waits for what may not come: others wait for the store. */
  async #soon(holds: () => Promise<boolean>): Promise<boolean> {
    const deadline = performance.now() + READY_WITHIN_MS;
    while (performance.now() < deadline) {
      if (await holds().catch(() => false)) return true;
      await sleep(LOOK_MS);
    }
    return false;
  }

  /**
   * Waits as long as svcsync has not read the stream often enough, however long a loaded machine takes for that. Gives up too when it
   * has not read the stream for long.
   */
  async #until(stream: string, holds: () => Promise<boolean>): Promise<boolean> {
    let polls = 0;
    let last: number | undefined;
    let since = performance.now();
    const beganAt = since;
    for (;;) {
      if (await holds().catch(() => false)) return true;
      const completedAt = await this.#completedAt(stream).catch(() => last);
      if (completedAt !== last) {
        last = completedAt;
        polls += 1;
        since = performance.now();
      }
      const now = performance.now();
      if (polls >= POLLS && now > beganAt + PATIENCE_MS) return false;
      if (now > since + UNREAD_MS) return false;
      await sleep(LOOK_MS);
    }
  }

  /** When a poll last read the stream to its end. */
  async #completedAt(stream: string): Promise<number | undefined> {
    await using store = await this.#desk.openStore();
    return (await store.stream(stream)).completedAt;
  }

  #count(name: string): void {
    this.#facts.set(name, (this.#facts.get(name) ?? 0) + 1);
  }
}

/** What is mapped of a row. */
function content(row: Row): string {
  return canonicalJson(Object.fromEntries(Object.entries(row).filter(([name]) => name !== "updated_at")));
}

function holds(sent: Json | undefined, field: string, mark: string): boolean {
  const value = isJsonObject(sent) ? sent[field] : undefined;
  return typeof value === "string" && value.split("\n")[0] === mark;
}

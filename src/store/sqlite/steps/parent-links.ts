import type { Database, Statement } from "better-sqlite3";
import { z } from "zod";
import type { Clock, Key, RecordId, RecordState, ServiceId, StreamName } from "#model";
import type { Parents } from "../../claim.ts";
import type { Note } from "../../note.ts";
import { statesMovedTo } from "../../transitions.ts";
import { stateList } from "../../rows/state-list.ts";
import type { Notes } from "../tables/notes.ts";
import { PART } from "../tables/stream-parts.ts";

/** Children examined per step to wake them, which takes a few milliseconds. */
const WOKEN_AT_ONCE = 500;

/** Children of a parent with a number above `after`: those that wait for it, or those whose projection carries its id. */
const waking = z.object({ stream: z.string(), key: z.string(), who: z.enum(["waits", "parents"]), after: z.number() });
type Waking = z.infer<typeof waking>;
/** Children that are still to be woken, because their parent has more than one step can wake. */
const wakingNote: Note<readonly Waking[]> = { name: "waking", schema: z.array(waking) };

interface Child extends RecordId {
  readonly id: number;
  readonly state: RecordState;
}

const WAITING: ReadonlySet<RecordState> = new Set(statesMovedTo("due", "parentBound"));
const OUTDATED: ReadonlySet<RecordState> = new Set(statesMovedTo("due", "parentRebound"));

/** Bound, undeleted children of a parent. No record is its own child. */
const FROM_BOUND_CHILDREN = `
  FROM parents p JOIN records r ON r.id = p.child JOIN bindings b ON b.record = r.id
  WHERE p.stream = +? AND p.key = +? AND r.state <> 'deleted' AND NOT (r.stream = p.stream AND r.key = p.key)`;
/** The children in a part, in order. */
const IN_PART = "AND p.child >= +? AND p.child < +? ORDER BY p.child";
type PartOfChildren = [stream: StreamName, key: Key, from: number, to: number];

/** Which records carry whose service id, and which wait for which. */
export class ParentLinks {
  readonly #clock: Clock;
  readonly #notes: Notes;
  readonly #forgetParents;
  readonly #addParent;
  readonly #forgetWaits;
  readonly #addWait;
  readonly #waitsOf;
  readonly #parentsBound;
  readonly #isGivenUp;
  readonly #children;
  readonly #nextPart;
  readonly #outdated;
  readonly #wake;
  readonly #again;
  readonly #boundChildren;
  readonly #hasBoundChild;
  readonly #parentsOf;
  readonly #boundTo;
  readonly #inPlace;

  constructor(db: Database, clock: Clock, notes: Notes) {
    this.#clock = clock;
    this.#notes = notes;
    this.#forgetParents = db.prepare<[number]>("DELETE FROM parents WHERE child = ?");
    this.#addParent = db.prepare<[number, string, string]>(
      "INSERT INTO parents (child, stream, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    );
    this.#forgetWaits = db.prepare<[number]>("DELETE FROM waits WHERE child = ?");
    this.#addWait = db.prepare<[number, string, string]>(
      "INSERT INTO waits (child, stream, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    );
    this.#waitsOf = db.prepare<[number], RecordId>(
      "SELECT stream, key FROM waits WHERE child = ? ORDER BY stream, key",
    );
    this.#parentsBound = db
      .prepare<[number], number>(
        `SELECT EXISTS (SELECT 1 FROM waits w JOIN records p ON p.stream = w.stream AND p.key = w.key
                        JOIN bindings b ON b.record = p.id WHERE w.child = +?)`,
      )
      .pluck();
    this.#isGivenUp = db
      .prepare<[string, string], 0 | 1>(
        "SELECT EXISTS (SELECT 1 FROM records WHERE stream = ? AND key = ? AND state IN ('deleted', 'skipped'))",
      )
      .pluck();
    const childrenIn = (table: Waking["who"]) =>
      db.prepare<[string, string, number], Child>(`
        SELECT r.id, r.stream, r.key, r.state FROM ${table} c CROSS JOIN records r ON r.id = c.child
        WHERE c.stream = +? AND c.key = +? AND c.child > +? ORDER BY c.child LIMIT ${WOKEN_AT_ONCE}`);
    this.#children = { waits: childrenIn("waits"), parents: childrenIn("parents") };
    this.#nextPart = db
      .prepare<[StreamName, Key, number], number>(
        `SELECT child FROM parents WHERE stream = ? AND key = ? AND child >= ? ORDER BY child LIMIT 1 OFFSET ${PART}`,
      )
      .pluck();
    this.#outdated = db.prepare<PartOfChildren, RecordId>(`
      SELECT r.stream, r.key FROM parents p JOIN records r ON r.id = p.child
      WHERE p.stream = +? AND p.key = +? AND r.state IN (${stateList([...OUTDATED])}) ${IN_PART}`);
    this.#wake = db.prepare<[number, number]>(
      "UPDATE records SET state = 'due', due_at = ?, error = NULL WHERE id = ?",
    );
    this.#again = db.prepare<[number]>("UPDATE records SET again = 1 WHERE id = ?");
    this.#boundChildren = db.prepare<PartOfChildren, RecordId>(`
      SELECT r.stream, r.key ${FROM_BOUND_CHILDREN} ${IN_PART}`);
    this.#hasBoundChild = db
      .prepare<[string, string], 0 | 1>(`SELECT EXISTS (SELECT 1 ${FROM_BOUND_CHILDREN})`)
      .pluck();
    this.#parentsOf = db.prepare<[number], RecordId>("SELECT stream, key FROM parents WHERE child = ?");
    this.#boundTo = db
      .prepare<[string, string], ServiceId>(
        "SELECT b.service_id FROM records p JOIN bindings b ON b.record = p.id WHERE p.stream = +? AND p.key = +?",
      )
      .pluck();
    this.#inPlace = db.prepare<[string, string], { id: number; state: RecordState }>(`
      SELECT id, state FROM records WHERE stream = ? AND key = ? AND state IN ('waiting', 'claimed')`);
  }

  /**
   * Stores the parents whose service ids the record's projection carries. Returns the parents before, and whether the service id of one has
   * changed.
   */
  setParents(child: number, parents: Parents): { readonly former: readonly RecordId[]; readonly isOutdated: boolean } {
    const former = this.parentsOf(child);
    if (former.length > 0) this.#forgetParents.run(child);
    let isOutdated = false;
    for (const { stream, key, serviceId } of parents) {
      this.#addParent.run(child, stream, key);
      if (serviceId !== undefined && serviceId !== (this.#boundTo.get(stream, key) ?? null)) isOutdated = true;
    }
    return { former, isOutdated };
  }

  /** Adds the parents whose service ids are in a projection that was not written. */
  addParents(child: number, parents: Parents): void {
    for (const { stream, key } of parents) this.#addParent.run(child, stream, key);
  }

  /** The parents whose service ids the record's projection carries. */
  parentsOf(child: number): RecordId[] {
    return this.#parentsOf.all(child);
  }

  /** Makes waiting parents due that have no bound child left, because their deletion may have waited for the last one. */
  childDeleted(parents: readonly RecordId[]): void {
    for (const { stream, key } of parents) {
      const parent = this.#inPlace.get(stream, key);
      if (parent === undefined || this.#hasBoundChild.get(stream, key) === 1) continue;
      if (parent.state === "claimed") this.#again.run(parent.id);
      else {
        this.#wake.run(this.#clock.now(), parent.id);
        this.#forgetWaits.run(parent.id);
      }
    }
  }

  /** Stores the parents that the record waits for. Returns true if one of them is already bound. */
  setWaits(child: number, parents: Parents): boolean {
    this.#forgetWaits.run(child);
    for (const { stream, key } of parents) this.#addWait.run(child, stream, key);
    return parents.length > 0 && this.#parentsBound.get(child) === 1;
  }

  /** Whether one of these records will never be bound: the ERP deleted it, or the stream's rules leave it out. */
  isGivenUp(parents: readonly RecordId[]): boolean {
    return parents.some(({ stream, key }) => this.#isGivenUp.get(stream, key) === 1);
  }

  waitsOf(child: number): RecordId[] {
    return this.#waitsOf.all(child);
  }

  /**
   * Wakes the records that wait for a parent which was just bound, or which never will be (a reference may be optional). If it `moved`,
   * also wakes the records that carry its old service id. If there are very many, it wakes the first and notes the others for {@link
   * wakeOthers}.
   */
  wakeDependents({ stream, key }: RecordId, moved: boolean): RecordId[] {
    const lists = moved ? (["waits", "parents"] as const) : (["waits"] as const);
    const parts = lists.map((who) => this.#wakePart({ stream, key, who, after: 0 }));
    const others = parts.flatMap(({ rest }) => rest ?? []);
    if (others.length > 0) this.#notes.save(wakingNote, [...this.#others(), ...others]);
    return parts.flatMap(({ woken }) => woken);
  }

  /** Whether any children are still to be woken. */
  isWaking(): boolean {
    return this.#others().length > 0;
  }

  /** Wakes some of the remaining children. Returns how many lists of children are left. */
  wakeOthers(): number {
    const [first, ...others] = this.#others();
    if (first === undefined) return 0;
    const { rest } = this.#wakePart(first);
    const left = rest === undefined ? others : [rest, ...others];
    this.#notes.save(wakingNote, left.length === 0 ? undefined : left);
    return left.length;
  }

  #others(): readonly Waking[] {
    return this.#notes.note(wakingNote) ?? [];
  }

  #wakePart({ stream, key, who, after }: Waking): { woken: RecordId[]; rest: Waking | undefined } {
    const children = this.#children[who].all(stream, key, after);
    const sleeping = who === "waits" ? WAITING : OUTDATED;
    const woken = children.filter(({ state }) => sleeping.has(state));
    const now = this.#clock.now();
    for (const child of woken) {
      this.#wake.run(now, child.id);
      this.#forgetWaits.run(child.id);
    }
    if (who === "parents") for (const child of children) if (child.state === "claimed") this.#again.run(child.id);
    const last = children.length === WOKEN_AT_ONCE ? children.at(-1) : undefined;
    return {
      woken: woken.map((child) => ({ stream: child.stream, key: child.key })),
      rest: last && { stream, key, who, after: last.id },
    };
  }

  /** Finds the records that become due when this one is bound to another id, except claimed ones. */
  findingDependents(id: RecordId) {
    return this.#finding(this.#outdated, id);
  }

  findingBoundChildren(id: RecordId) {
    return this.#finding(this.#boundChildren, id);
  }

  /** Finds children in parts. Yields so that other work can run. */
  *#finding(
    children: Statement<PartOfChildren, RecordId>,
    { stream, key }: RecordId,
  ): Generator<undefined, RecordId[]> {
    const found: RecordId[] = [];
    for (let from: number | undefined = 0; from !== undefined;) {
      const next = this.#nextPart.get(stream, key, from);
      found.push(...children.all(stream, key, from, next ?? Number.MAX_SAFE_INTEGER));
      yield;
      from = next;
    }
    return found;
  }
}

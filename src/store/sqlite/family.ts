import type { Database } from "better-sqlite3";
import type { Clock, RecordId } from "#model";
import type { Parents } from "../claim.ts";
import { statesMovedTo } from "../transitions.ts";
import { stateList } from "./state-list.ts";

interface Child extends RecordId {
  readonly id: number;
}

/** Parents and children: who carries whose service id, and who waits for whom. */
export class Family {
  readonly #clock: Clock;
  readonly #forgetParents;
  readonly #addParent;
  readonly #forgetWaits;
  readonly #addWait;
  readonly #waitsOf;
  readonly #parentsBound;
  readonly #waiting;
  readonly #outdated;
  readonly #wake;
  readonly #markClaimed;
  readonly #boundChildren;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
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
                        JOIN bindings b ON b.record = p.id WHERE w.child = ?)`,
      )
      .pluck();
    this.#waiting = db.prepare<[string, string], Child>(`
      SELECT r.id, r.stream, r.key FROM waits w JOIN records r ON r.id = w.child
      WHERE w.stream = ? AND w.key = ? AND r.state IN (${stateList(statesMovedTo("due", "wake"))})`);
    this.#outdated = db.prepare<[string, string], Child>(`
      SELECT r.id, r.stream, r.key FROM parents p JOIN records r ON r.id = p.child
      WHERE p.stream = ? AND p.key = ? AND r.state IN (${stateList(statesMovedTo("due", "rewire"))})`);
    this.#wake = db.prepare<[number, number]>(
      "UPDATE records SET state = 'due', due_at = ?, error = NULL WHERE id = ?",
    );
    this.#markClaimed = db.prepare<[string, string]>(`
      UPDATE records SET again = 1
      WHERE state = 'claimed' AND id IN (SELECT child FROM parents WHERE stream = ? AND key = ?)`);
    this.#boundChildren = db.prepare<[string, string], RecordId>(`
      SELECT r.stream, r.key FROM parents p JOIN records r ON r.id = p.child JOIN bindings b ON b.record = r.id
      WHERE p.stream = ? AND p.key = ? AND r.state <> 'deleted' ORDER BY r.stream, r.key`);
  }

  /** Remembers whose service ids the record's projection carries. */
  setParents(child: number, parents: Parents): void {
    this.#forgetParents.run(child);
    for (const { stream, key } of parents) this.#addParent.run(child, stream, key);
  }

  /** Remembers whom the record waits for; true when one of them is bound already. */
  setWaits(child: number, parents: Parents): boolean {
    this.#forgetWaits.run(child);
    for (const { stream, key } of parents) this.#addWait.run(child, stream, key);
    return parents.length > 0 && this.#parentsBound.get(child) === 1;
  }

  waitsOf(child: number): RecordId[] {
    return this.#waitsOf.all(child);
  }

  /**
   * Wakes who waits for a parent that was just bound, or that will not come (a reference may be optional), and, when it
   * `moved`, who carries its old service id.
   */
  parentSettled({ stream, key }: RecordId, moved: boolean): RecordId[] {
    const children = this.#waiting.all(stream, key);
    if (moved) {
      children.push(...this.#outdated.all(stream, key));
      this.#markClaimed.run(stream, key);
    }
    const now = this.#clock.now();
    for (const child of children) {
      this.#wake.run(now, child.id);
      this.#forgetWaits.run(child.id);
    }
    return children.map((child) => ({ stream: child.stream, key: child.key }));
  }

  boundChildren({ stream, key }: RecordId): RecordId[] {
    return this.#boundChildren.all(stream, key);
  }
}

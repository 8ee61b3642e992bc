import type { Database, Statement } from "better-sqlite3";
import type { Key, RecordId, StreamName } from "#model";
import { stateList } from "../../rows/state-list.ts";
import { statesMovedTo } from "../../transitions.ts";
import { PART } from "./stream-parts.ts";

/** Bound, undeleted children of a parent. No record is its own child. */
const FROM_BOUND_CHILDREN = `
  FROM parents p JOIN records r ON r.id = p.child JOIN bindings b ON b.record = r.id
  WHERE p.stream = +? AND p.key = +? AND r.state <> 'deleted' AND NOT (r.stream = p.stream AND r.key = p.key)`;
/** The children in a part, in order. */
const IN_PART = "AND p.child >= +? AND p.child < +? ORDER BY p.child";
type PartOfChildren = [stream: StreamName, key: Key, from: number, to: number];

/** Reads which records carry whose service id, and which wait for which. */
export class Children {
  readonly #waitsOf;
  readonly #nextPart;
  readonly #outdated;
  readonly #bound;

  constructor(db: Database) {
    this.#waitsOf = db.prepare<[number], RecordId>(
      "SELECT stream, key FROM waits WHERE child = ? ORDER BY stream, key",
    );
    this.#nextPart = db
      .prepare<[StreamName, Key, number], number>(
        `SELECT child FROM parents WHERE stream = ? AND key = ? AND child >= ? ORDER BY child LIMIT 1 OFFSET ${PART}`,
      )
      .pluck();
    this.#outdated = db.prepare<PartOfChildren, RecordId>(`
      SELECT r.stream, r.key FROM parents p JOIN records r ON r.id = p.child
      WHERE p.stream = +? AND p.key = +? AND r.state IN (${stateList(statesMovedTo("due", "parentRebound"))}) ${IN_PART}`);
    this.#bound = db.prepare<PartOfChildren, RecordId>(`SELECT r.stream, r.key ${FROM_BOUND_CHILDREN} ${IN_PART}`);
  }

  /** The records that a record waits for. */
  waitsOf(child: number): RecordId[] {
    return this.#waitsOf.all(child);
  }

  /** Finds the records that become due when this one is bound to another id, except claimed ones. */
  findingDependents(id: RecordId) {
    return this.#finding(this.#outdated, id);
  }

  findingBound(id: RecordId) {
    return this.#finding(this.#bound, id);
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

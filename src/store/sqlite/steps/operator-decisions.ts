import type { Database } from "better-sqlite3";
import type { Actor, Binding, Clock, Key, RecordId, RecordState, StreamName } from "#model";
import { next } from "../../transitions.ts";
import type { Decision } from "../../claim.ts";
import type { OperatorStore } from "../../contract/operator.ts";
import {
  ANSWERS,
  GONE,
  answerEntry,
  decided,
  expectAnswerable,
  revivable,
  type OperatorDecision,
} from "../../answers.ts";
import { SKIPPED_BY_PERSON, unknownRecord } from "../../refusals.ts";
import { letGo } from "./journal.ts";
import type { InParts } from "../in-parts.ts";
import type { Tables } from "../tables.ts";
import { FIRST_KEY, IN_PART, StreamParts } from "../tables/stream-parts.ts";
import { actorRow } from "../../rows/actor-row.ts";
import { stateList } from "../../rows/state-list.ts";

type Retried = Parameters<OperatorStore["retryNow"]>[0] & { readonly stream: StreamName };

interface Answered {
  readonly id: number;
  readonly state: RecordState;
  readonly decision: Decision["kind"] | null;
  readonly errorCode: string | null;
}

/** People's decisions: answers to creates that cannot be settled, and retries. */
export class OperatorDecisions {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #tables: Tables;
  readonly #parts: StreamParts;
  readonly #find;
  readonly #move;

  constructor(db: Database, clock: Clock, tables: Tables) {
    this.#db = db;
    this.#clock = clock;
    this.#tables = tables;
    this.#parts = new StreamParts(db);
    this.#find = db.prepare<[string, string], Answered>(
      "SELECT id, state, decision, error ->> 'code' AS errorCode FROM records WHERE stream = ? AND key = ?",
    );
    this.#move = db.prepare(`
      UPDATE records SET state = @state, due_at = @dueAt, attempts = 0, backfill = 0, error = @error, decision = @decision
      WHERE id = @id`);
  }

  resolve(id: RecordId, answer: OperatorDecision, by?: Actor): void {
    const { audit, bindings, deletions, family, intents } = this.#tables;
    const record = this.#find.get(id.stream, id.key);
    if (record === undefined) throw unknownRecord(id);
    const bound = bindings.of(record.id);
    const { state: stateBefore, errorCode } = record;
    const isGone = errorCode === GONE;
    expectAnswerable(id, answer, { state: stateBefore, bound, errorCode });
    const binding = answer.kind === "bind" ? answer.binding : bound;
    const resource = binding?.resource ?? intents.resourceOf(record.id) ?? "";
    // A skip keeps an open create: if the ERP changes the record later, its result is looked for first.
    if (answer.kind !== "skip") intents.end(record.id);
    if (answer.kind === "bind") this.#bind(record.id, id, answer.binding);
    else if (answer.kind === "skip") {
      deletions.forget(record.id);
      family.wakeDependents(id, false);
    } else if (answer.kind === "unbind" || (answer.kind === "create" && isGone)) this.#unbind(record.id);
    audit.add(id, { ...answerEntry(answer, resource, binding), by });
    const state = next(stateBefore, ANSWERS[answer.kind]);
    this.#move.run({
      id: record.id,
      state,
      dueAt: state === "due" ? this.#clock.now() : null,
      error: state === "skipped" ? JSON.stringify(SKIPPED_BY_PERSON) : null,
      decision: decided(answer, record.decision),
    });
    family.setWaits(record.id, []);
  }

  #unbind(record: number): void {
    const { deletions, family } = this.#tables;
    deletions.forget(record);
    family.childDeleted(letGo(this.#tables, record));
  }

  #bind(record: number, id: RecordId, binding: Binding): void {
    const { bindings, family, written } = this.#tables;
    const moved = bindings.save(record, id, binding);
    // What was written to the old record of the service does not apply to the new one.
    if (moved) written.forget(record);
    family.wakeDependents(id, moved);
  }

  streams(): StreamName[] {
    return this.#tables.streams.names();
  }

  /**
   * Makes records due in the part of a stream that begins with `from`, or only the one of `key`. Returns how many, and where the next part
   * begins.
   */
  retry({ stream, key, states }: Retried, from: Key, by?: Actor): { count: number; next: Key | undefined } {
    const part = key === undefined ? this.#parts.at(stream, from) : undefined;
    const which = part === undefined ? "stream = @stream AND key = @key" : IN_PART;
    const where = `${which} AND state IN (${stateList(revivable(states))})`;
    const values = { stream, key, ...part, now: this.#clock.now() };
    if (by !== undefined)
      this.#db
        .prepare(
          `INSERT INTO audit (at, stream, key, action, resource, outcome, actor, via, why)
           SELECT @now, stream, key, 'retry', '', 'due again', @actor, @via, @why FROM records WHERE ${where}`,
        )
        .run({ ...values, ...actorRow(by) });
    const made = this.#db
      .prepare(`UPDATE records SET state = 'due', due_at = @now, attempts = 0, error = NULL WHERE ${where}`)
      .run(values);
    return { count: made.changes, next: part?.next };
  }
}

/** Makes records due, stream by stream. */
export async function retryNow(
  decisions: OperatorDecisions,
  parts: InParts,
  { stream, ...target }: Parameters<OperatorStore["retryNow"]>[0],
  by?: Actor,
): Promise<number> {
  let count = 0;
  for (const name of stream === undefined ? await parts.step(() => decisions.streams()) : [stream])
    count += await parts.through(FIRST_KEY, (from) => decisions.retry({ ...target, stream: name }, from, by));
  return count;
}

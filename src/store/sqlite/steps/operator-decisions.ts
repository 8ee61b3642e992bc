import type { Database } from "better-sqlite3";
import { ParkError, recordLabel, type Actor, type Binding, type Clock, type RecordId, type RecordState } from "#model";
import { allows, next, statesMovedTo, type RecordEvent } from "../../transitions.ts";
import type { AuditEntry, Decision } from "../../claim.ts";
import { letGo } from "./journal.ts";
import { leftOut } from "./delivery-steps.ts";
import type { Tables } from "../tables.ts";
import { stateList } from "../tables/state-list.ts";

export type OperatorDecision =
  | { readonly kind: "bind"; readonly binding: Binding }
  | { readonly kind: "create" }
  | { readonly kind: "skip" }
  | { readonly kind: "unbind" };

const EVENTS: { readonly [K in OperatorDecision["kind"]]: RecordEvent } = {
  bind: "answerBind",
  create: "answerCreate",
  skip: "answerSkip",
  unbind: "answerUnbind",
};

interface Answered {
  readonly id: number;
  readonly state: RecordState;
  readonly decision: Decision["kind"] | null;
  readonly errorCode: string | null;
}

/** Parked for this, a record is bound to one that the service no longer has. */
const GONE = "E_RECORD_GONE";

/** What people decide: answers to creates that cannot be settled, and another try for what stands still. */
export class OperatorDecisions {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #tables: Tables;
  readonly #find;
  readonly #move;

  constructor(db: Database, clock: Clock, tables: Tables) {
    this.#db = db;
    this.#clock = clock;
    this.#tables = tables;
    this.#find = db.prepare<[string, string], Answered>(
      "SELECT id, state, decision, error ->> 'code' AS errorCode FROM records WHERE stream = ? AND key = ?",
    );
    this.#move = db.prepare(`
      UPDATE records SET state = @state, due_at = @dueAt, attempts = 0, backfill = 0, error = @error, decision = @decision
      WHERE id = @id`);
  }

  resolve(id: RecordId, answer: OperatorDecision, by?: Actor): void {
    const { audit, bindings, family, intents } = this.#tables;
    const record = this.#find.get(id.stream, id.key);
    if (record === undefined) throw new ParkError("E_RECORD_UNKNOWN", `${recordLabel(id)} is not known to the store`);
    const event = EVENTS[answer.kind];
    const bound = bindings.of(record.id);
    if (answer.kind === "unbind" && bound === undefined)
      throw new ParkError("E_NOT_RESOLVABLE", `${recordLabel(id)} is not bound: there is nothing to end`);
    if (!allows(record.state, event)) {
      const which =
        answer.kind === "unbind"
          ? "it is being delivered"
          : "only one that is due, waiting, parked or uncertain can be answered";
      throw new ParkError("E_NOT_RESOLVABLE", `${recordLabel(id)} is ${record.state}; ${which}`, {
        details: { state: record.state },
      });
    }
    const isGone = record.errorCode === GONE;
    if (bound !== undefined && answer.kind === "create" && !isGone)
      throw new ParkError(
        "E_NOT_RESOLVABLE",
        `${recordLabel(id)} is already bound to ${bound.resource} ${bound.serviceId}; a create would make a duplicate`,
        { details: { resource: bound.resource, serviceId: bound.serviceId } },
      );
    const binding = answer.kind === "bind" ? answer.binding : bound;
    const resource = binding?.resource ?? intents.resourceOf(record.id) ?? "";
    // "skip" leaves an open create open: if the ERP changes the record later, its result is looked for first.
    if (answer.kind !== "skip") intents.end(record.id);
    if (answer.kind === "bind") this.#bind(record.id, id, answer.binding);
    else if (answer.kind === "skip") family.wakeDependents(id, false);
    else if (answer.kind === "unbind" || (answer.kind === "create" && isGone)) this.#unbind(record.id);
    audit.add(id, { ...this.#entry(answer, resource, binding), by });
    const state = next(record.state, event);
    this.#move.run({
      id: record.id,
      state,
      dueAt: state === "due" ? this.#clock.now() : null,
      error: state === "skipped" ? JSON.stringify(leftOut("left out by an operator")) : null,
      decision: decided(answer, record.decision),
    });
    family.setWaits(record.id, []);
  }

  #entry({ kind }: OperatorDecision, resource: string, binding: Binding | undefined): AuditEntry {
    const serviceId = binding?.serviceId;
    return kind === "unbind"
      ? { action: "unbind", resource, serviceId, outcome: "unbound" }
      : { action: "resolve", resource, serviceId, outcome: kind };
  }

  #unbind(record: number): void {
    const { deletions, family } = this.#tables;
    deletions.forget(record);
    family.childDeleted(letGo(this.#tables, record));
  }

  #bind(record: number, id: RecordId, binding: Binding): void {
    const { bindings, family, written } = this.#tables;
    const moved = bindings.save(record, id, binding);
    // What was written to another record of the service says nothing about this one.
    if (moved) written.forget(record);
    family.wakeDependents(id, moved);
  }

  retryNow(target: { stream?: string; key?: string; states: readonly RecordState[] }, by?: Actor): number {
    const revivable = statesMovedTo("due", "retryRequested");
    const states = target.states.filter((state) => state === "due" || revivable.includes(state));
    const narrowed = [
      ...(target.stream === undefined ? [] : ["stream = @stream"]),
      ...(target.key === undefined ? [] : ["key = @key"]),
    ];
    const where = [`state IN (${stateList(states)})`, ...narrowed].join(" AND ");
    const now = this.#clock.now();
    const { stream, key } = target;
    if (by !== undefined)
      this.#db
        .prepare(
          `INSERT INTO audit (at, stream, key, action, resource, outcome, actor, via, why)
           SELECT @now, stream, key, 'retry', '', 'due again', @actor, @via, @why FROM records WHERE ${where}`,
        )
        .run({ now, stream, key, actor: by.name, via: by.via, why: by.why ?? null });
    return this.#db
      .prepare(`UPDATE records SET state = 'due', due_at = @now, attempts = 0, error = NULL WHERE ${where}`)
      .run({ now, stream, key }).changes;
  }
}

/** What the next delivery is told. That a record was unbound holds until it is bound or created, even when it is left out. */
function decided({ kind }: OperatorDecision, before: Decision["kind"] | null): Decision["kind"] | null {
  if (kind === "create") return "create";
  return kind === "unbind" || (kind === "skip" && before === "unbound") ? "unbound" : null;
}

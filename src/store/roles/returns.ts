import {
  ParkError,
  RETURN_STATES,
  type Actor,
  type Clock,
  type ErrorFacts,
  type ReturnAnswer,
  type ReturnId,
} from "#model";
import type {
  NextReturn,
  PreparedAs,
  ReturnOutcome,
  ReturnQuery,
  ReturnStore,
  StoredReturn,
} from "../contract/returns.ts";
import { addAudit } from "../rows/audit-row.ts";
import { historyOf, returnOf, keyValuesOf, type ReturnRow } from "../rows/return-row.ts";
import { mayReturn, type ReturnEvent } from "../return-transitions.ts";
import { sayAgain } from "../said-again.ts";
import type { Access, Dialect, SqlValues, Statement } from "./access.ts";
import { readCounts } from "./return-counts.ts";
import { markStatements, readMark, type MarkMembers } from "./return-marks.ts";
import {
  END_OF_PART,
  follow,
  FORGET,
  IS_NEXT,
  IS_ONE,
  IS_REFUSED,
  IS_SUPERSEDING,
  PASS,
  prunePart,
  SET_BACK,
  SUPERSEDE,
  may,
  movedBy,
  orderOf,
  partOf,
  prepareIf,
} from "./return-sql.ts";

/** Subjects per read. */
const SUBJECTS_AT_ONCE = 200;
/** A subject is a part of a name that has at most 120 characters, and of an index of the store. */
const LONGEST_SUBJECT = 400;
const DURABLE = { durable: true } as const;

/** The lane back to the ERP. */
export class Returns implements ReturnStore {
  readonly #access: Access;
  readonly #clock: Clock;
  readonly #isRecord: string;

  constructor(access: Access, clock: Clock, { isRecord }: Dialect) {
    this.#access = access;
    this.#clock = clock;
    this.#isRecord = isRecord;
  }

  mark = (stream: string) => readMark(this.#access, stream);

  async saveMark(stream: string, members: MarkMembers): Promise<void> {
    const statements = markStatements(this.#access, stream, members);
    if (statements.length > 0) await this.#access.step(statements, DURABLE);
  }

  async latest(stream: string, subjects: readonly string[]): Promise<ReadonlyMap<string, StoredReturn>> {
    const found = new Map<string, StoredReturn>();
    for (let from = 0; from < subjects.length; from += SUBJECTS_AT_ONCE) {
      const part = subjects.slice(from, from + SUBJECTS_AT_ONCE);
      const names = part.map((_, at) => `@subject${at}`).join(", ");
      const sql = `
        SELECT r.* FROM returns r WHERE r.stream = @stream AND r.subject IN (${names})
          AND r.version = (SELECT max(n.version) FROM returns n WHERE n.stream = r.stream AND n.subject = r.subject)`;
      const values = Object.fromEntries(part.map((subject, at) => [`subject${at}`, subject]));
      for (const row of await this.#access.read<ReturnRow>(sql, { ...values, stream }))
        found.set(row.subject, returnOf(row));
    }
    return found;
  }

  async compared(id: ReturnId, head: string): Promise<void> {
    const sql = `UPDATE returns SET head = @head WHERE ${IS_ONE}`;
    await this.#access.step([{ sql, values: { ...keyValuesOf(id), head } }]);
  }

  async prepare(next: NextReturn, as: PreparedAs): Promise<boolean> {
    const { length } = next.subject;
    if (length > LONGEST_SUBJECT)
      throw new ParkError(
        "E_STORE_VALUE",
        `the key ${next.subject.slice(0, 40)}… is too long for a return: found ${length} characters, expected at most ${LONGEST_SUBJECT}`,
      );
    const values = this.#valuesOf(next, as);
    const { of, subject, version, replaces } = values;
    const pass = { sql: PASS, values: { of, subject, version, replaces } };
    return this.#changes([pass, { sql: prepareIf(IS_NEXT), values }]);
  }

  supersede({ version: old }: ReturnId, error: ErrorFacts, next: NextReturn, as: PreparedAs): Promise<boolean> {
    const values = { ...this.#valuesOf(next, as), old, reason: this.#text(error) };
    const { of, subject, version, reason } = values;
    const withdraw = { sql: SUPERSEDE, values: { of, subject, version, old, reason } };
    return this.#changes([withdraw, { sql: prepareIf(IS_SUPERSEDING), values }]);
  }

  #valuesOf(next: NextReturn, as: PreparedAs) {
    const { kind, hash, content } = next;
    const now = this.#clock.now();
    return {
      ...keyValuesOf(next),
      kind,
      hash,
      now,
      state: as.state,
      service_id: next.serviceId ?? null,
      replaces: next.replaces ?? null,
      content: JSON.stringify(content),
      head: next.head ?? null,
      error: "error" in as ? this.#text(as.error) : null,
      due_at: as.state === "blocked" ? as.dueAt : now,
      attempts: as.state === "blocked" ? 1 : 0,
    };
  }

  async one(id: ReturnId): Promise<StoredReturn | undefined> {
    const sql = `SELECT * FROM returns WHERE ${IS_ONE}`;
    const [row] = await this.#access.read<ReturnRow>(sql, keyValuesOf(id));
    return row && returnOf(row);
  }

  async versions(stream: string, subject: string): Promise<readonly StoredReturn[]> {
    const sql = "SELECT * FROM returns WHERE stream = @stream AND subject = @subject ORDER BY version DESC";
    return (await this.#access.read<ReturnRow>(sql, { stream, subject })).map(returnOf);
  }

  async find(query: ReturnQuery): Promise<readonly StoredReturn[]> {
    const streams = query.stream === undefined ? await this.#streams() : [query.stream];
    const states = query.following === undefined ? (query.states ?? RETURN_STATES) : [undefined];
    const parts = streams.flatMap((stream, at) => states.flatMap((state) => partOf(query, { stream, at }, state)));
    if (parts.length === 0) return [];
    const { after, dueBy, limit } = query;
    const sql = `SELECT * FROM (${parts.join(" UNION ALL ")}) AS found ORDER BY stream, ${orderOf(query)} LIMIT @limit`;
    const values = {
      ...Object.fromEntries(streams.map((stream, at) => [`stream${at}`, stream])),
      ...(after && {
        afterSubject: after.subject,
        afterVersion: after.version,
        afterDue: after.dueAt,
      }),
      ...(dueBy === undefined ? {} : { dueBy }),
      limit,
    };
    return (await this.#access.read<ReturnRow>(sql, values)).map(returnOf);
  }

  async #streams(): Promise<string[]> {
    const rows = await this.#access.read<{ stream: string }>("SELECT DISTINCT stream FROM returns");
    return rows.map(({ stream }) => stream);
  }

  async ended(id: ReturnId, outcome: ReturnOutcome): Promise<boolean> {
    const now = this.#clock.now();
    const error = "error" in outcome ? this.#text(outcome.error) : null;
    switch (outcome.kind) {
      case "delivered": {
        const set = "delivered_at = @now, due_at = @now, attempts = 0, error = NULL";
        return this.#move(id, "deliver", { set, values: { now } });
      }
      case "failed": {
        const set = "attempts = attempts + 1, error = @error, due_at = @dueAt";
        const only = "(state = 'prepared' OR following = 'due')";
        return this.#move(id, "fail", { set, only, values: { error, dueAt: outcome.dueAt } });
      }
      case "uncertain":
      case "held": {
        const event = outcome.kind === "held" ? "hold" : "doubt";
        return this.#move(id, event, { set: "attempts = attempts + 1, error = @error", values: { error } });
      }
      case "followed":
      case "unfollowed":
        return this.#changes([{ sql: follow(outcome.kind), values: { ...keyValuesOf(id), now } }]);
    }
  }

  answered(id: ReturnId, answer: ReturnAnswer, follows: boolean): Promise<boolean> {
    const { result, document = null, message, at } = this.#access.clean(answer);
    const isOk = result === "ok";
    const error: ErrorFacts | undefined = isOk
      ? undefined
      : { code: "E_RETURN_REFUSED", message: message ?? "the ERP gave no reason", details: {} };
    // Another document number has to be written into the service too.
    const following =
      isOk && follows ? "CASE WHEN following = 'done' AND document = @document THEN 'done' ELSE 'due' END" : "NULL";
    const set = `
      result = @result, document = @document, message = @message, answered_at = @at, delivered_at = coalesce(delivered_at, @at),
      attempts = 0, due_at = @now, error = @error, following = ${following}`;
    const values = { result, document, at, now: this.#clock.now(), message: message ?? null };
    return this.#move(id, isOk ? "accept" : "refuse", {
      set,
      values: { ...values, error: error ? this.#text(error) : null },
    });
  }

  async decide(id: ReturnId, decision: "send" | "withdraw" | "arrived", by: Actor | undefined): Promise<boolean> {
    const now = this.#clock.now();
    if (decision === "withdraw") {
      const set = by === undefined ? "error = NULL, hash = ''" : "error = NULL";
      return this.#move(id, by === undefined ? "takeBack" : "withdraw", { set, by });
    }
    if (decision === "arrived") {
      const set = "delivered_at = @now, due_at = @now, attempts = 0, error = NULL";
      return this.#move(id, "arrive", { set, values: { now }, by });
    }
    const found = await this.one(id);
    if (found?.state !== "refused") {
      const set = "due_at = @now, attempts = 0, error = CASE WHEN state = 'blocked' THEN error END";
      return this.#move(id, "send", { set, only: "state <> 'refused'", values: { now }, by });
    }
    const [newest = found] = await this.versions(id.stream, id.subject);
    const values = this.#valuesOf({ ...sayAgain(found, newest.version + 1), head: found.head }, { state: "prepared" });
    const { of, subject, version, replaces } = values;
    const history = this.#history(id, "send", by, { sql: IS_REFUSED, values: { of, subject, version, replaces } });
    return this.#changes([...history, { sql: prepareIf(IS_REFUSED), values }]);
  }

  /** Moves a return whose state allows it, and writes down who did. */
  #move(
    id: ReturnId,
    event: ReturnEvent,
    {
      set,
      only = "1 = 1",
      values = {},
      by,
    }: { set: string; only?: string; values?: SqlValues; by?: Actor | undefined },
  ): Promise<boolean> {
    const allowed = `${IS_ONE} AND ${may(event)} AND ${only}`;
    const sql = `UPDATE returns SET ${movedBy(event)}, ${set} WHERE ${allowed} RETURNING version`;
    const when = { sql: `EXISTS (SELECT 1 FROM returns WHERE ${allowed})`, values: keyValuesOf(id) };
    return this.#changes([...this.#history(id, event, by, when), { sql, values: { ...keyValuesOf(id), ...values } }]);
  }

  #history(id: ReturnId, event: ReturnEvent, by: Actor | undefined, when: Statement): Statement[] {
    if (by === undefined) return [];
    const entry = {
      action: "return",
      resource: "",
      outcome: `${event}, version ${id.version}`,
      by: this.#access.clean(by),
    } as const;
    return [addAudit(this.#clock.now(), historyOf(id), entry, when)];
  }

  /** Whether the last of the statements, which alone gives a row, changed anything. */
  async #changes(statements: readonly Statement[]): Promise<boolean> {
    return (await this.#access.step(statements, DURABLE)).length > 0;
  }

  counts = () => readCounts(this.#access);

  async forget(stream: string, subject: string): Promise<void> {
    const open = (await this.versions(stream, subject)).find(({ state }) => !mayReturn(state, "forget"));
    if (open !== undefined)
      throw new ParkError(
        "E_NOT_FORGETTABLE",
        `${stream}/${subject}/${open.version} is ${open.state}, so what goes back to the ERP of it is not finished. Nothing was forgotten`,
        { details: { state: open.state } },
      );
    const { stream: history, key } = historyOf({ stream, subject });
    const erase = { sql: FORGET, values: { of: stream, subject } };
    const reasons = { sql: `UPDATE audit SET why = NULL WHERE ${this.#isRecord}`, values: { stream: history, key } };
    await this.#access.step([erase, reasons], DURABLE);
  }

  async clockSetBack(): Promise<void> {
    await this.#access.untilNone({ sql: SET_BACK, values: { now: this.#clock.now() } });
  }

  /** From place to place: what stays would otherwise be looked at again by each step. */
  async prune(before: number): Promise<number> {
    let count = 0;
    for (let after: ReturnId | undefined = { stream: "", subject: "", version: 0 }; after !== undefined;) {
      const place: SqlValues = { of: after.stream, subject: after.subject, version: after.version };
      const [end]: (ReturnId | undefined)[] = await this.#access.read<ReturnId>(END_OF_PART, place);
      const to: SqlValues =
        end === undefined ? {} : { toOf: end.stream, toSubject: end.subject, toVersion: end.version };
      count += (await this.#access.step([{ sql: prunePart(end === undefined), values: { before, ...place, ...to } }]))
        .length;
      after = end;
    }
    return count;
  }

  #text(error: ErrorFacts): string {
    return JSON.stringify(this.#access.clean(error));
  }
}

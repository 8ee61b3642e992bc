import {
  backoffMs,
  errorFacts,
  instantText,
  MINUTE_MS,
  ParkError,
  RetryError,
  SyncError,
  WaitError,
  type ErrorFacts,
} from "#model";
import { mayReturn, type PreparedAs, type StoredReturn } from "#store";
import { comparedAgain } from "../prepare/statement.ts";
import { withCounted, guardReturns } from "./guard.ts";
import type { LaneDeps, LaneStream } from "./lane-stream.ts";
import { someAtOnce } from "./some-at-once.ts";

const AT_ONCE = 100;
/** Handed over at the same moment: the inbox's disk serves several commits with one write. */
const TOGETHER = 4;
/** The clock of the ERP's database may be behind by so much. */
const CLOCKS_DIFFER_MS = 5 * MINUTE_MS;
const AGAIN = { baseMs: 5_000, maxMs: 15 * 60_000 };

/** Hands over what is prepared, in the order of each subject's versions, and carries out what follows an accepted return. */
export class HandOver {
  readonly #deps: LaneDeps;
  readonly #of: LaneStream;

  constructor(deps: LaneDeps, of: LaneStream) {
    this.#deps = deps;
    this.#of = of;
  }

  /**
   * Hands over what is due. Does nothing while a person has paused the stream, or the guard holds it.
   * @throws what keeps the inbox from taking anything.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger, store } = this.#deps;
    const { stream } = this.#of;
    const { returns } = store;
    const states = ["prepared"] as const;
    // Counting reads every return that there is, so it is done only where something is due.
    if ((await returns.find({ stream: stream.name, states, dueBy: clock.now(), limit: 1 })).length === 0) return;
    // Read now: a person may have paused the stream while the round looked for changes.
    const mark = await returns.mark(stream.name);
    if (mark === undefined || mark.paused !== undefined || mark.held !== undefined) return;
    const waiting = (await returns.counts()).find((one) => one.stream === stream.name)?.states.prepared ?? 0;
    const held = guardReturns(stream, mark, waiting, clock.now());
    if (held !== undefined) {
      await returns.saveMark(stream.name, { held });
      logger.warn({ stream: stream.name, count: held.count, usual: held.usual }, "returns are held: more than usual");
      return;
    }
    let after: StoredReturn | undefined;
    do {
      const due = await returns.find({ stream: stream.name, states, dueBy: clock.now(), after, limit: AT_ONCE });
      await this.#each(due, signal);
      after = due.length < AT_ONCE ? undefined : due.at(-1);
    } while (after !== undefined && !signal.aborted);
  }

  /** Hands over some at once, but of each subject one: a later version never overtakes an earlier one. Counts what arrived, whatever failed. */
  async #each(due: readonly StoredReturn[], signal: AbortSignal): Promise<void> {
    const begun = new Set<string>();
    let count = 0;
    try {
      await someAtOnce(due, TOGETHER, async (item) => {
        // Where an earlier version failed, it is due after the later one, and comes behind it in this list.
        if (signal.aborted || (await this.#isAhead(item)) || begun.has(item.subject)) return;
        begun.add(item.subject);
        if (await this.#one(item, signal)) count++;
      });
    } finally {
      await this.#counted(count);
    }
  }

  async #counted(count: number): Promise<void> {
    if (count === 0) return;
    const { store, clock } = this.#deps;
    const { name } = this.#of.stream;
    const { rate, released = 0 } = (await store.returns.mark(name)) ?? {};
    // What a person released says nothing about what is usual.
    const left = Math.max(0, released - count);
    const counted = withCounted(rate, Math.max(0, count - released), clock.now());
    await store.returns.saveMark(name, { rate: counted, released: left === 0 ? undefined : left });
  }

  async #one(item: StoredReturn, signal: AbortSignal): Promise<boolean> {
    this.#expectMayWrite();
    try {
      const found = await this.#of.destination.deliver(item, signal);
      if (found === "answered") await this.#expectAnswered(item, signal);
    } catch (thrown) {
      await this.#failed(item, thrown, signal);
      return false;
    }
    return await this.#deps.store.returns.ended(item, { kind: "delivered" });
  }

  /**
   * The inbox has only the ERP's answer any more: it must be one to what was written down here, and not to what a store said that was put back since.
   * @throws {ParkError} E_RETURN_CONFLICT
   */
  async #expectAnswered(item: StoredReturn, signal: AbortSignal): Promise<void> {
    const [answer] = await this.#of.destination.answers([item], signal);
    if (answer === undefined || answer.at >= item.preparedAt - CLOCKS_DIFFER_MS) return;
    const [answered, prepared] = [answer.at, item.preparedAt].map(instantText);
    throw new ParkError(
      "E_RETURN_CONFLICT",
      `the ERP answered version ${item.version} of ${item.stream}/${item.subject} at ${answered}, and it was written down here at ${prepared}, so the ERP had another`,
      { details: { answered: answered!, prepared: prepared! } },
    );
  }

  /** Whether the version that it replaces has not arrived yet. */
  async #isAhead({ stream, subject, replaces }: StoredReturn): Promise<boolean> {
    if (replaces === undefined) return false;
    const former = await this.#deps.store.returns.one({ stream, subject, version: replaces });
    return former?.state === "prepared" || former?.state === "uncertain";
  }

  async #failed(item: StoredReturn, thrown: unknown, signal: AbortSignal): Promise<void> {
    const { store, logger, clock } = this.#deps;
    const { returns } = store;
    const error = errorFacts(thrown);
    if (signal.aborted && !(thrown instanceof SyncError)) throw thrown;
    logger.warn(
      { stream: item.stream, subject: item.subject, version: item.version, err: error },
      "return was not handed over",
    );
    if (thrown instanceof ParkError) {
      if (thrown.code === "E_RETURN_CONFLICT") return this.#inConflict(item, error, signal);
      const concernsAll = thrown.code === "E_RETURN_INBOX" && thrown.details["column"] === undefined;
      if (!concernsAll) {
        await returns.ended(item, { kind: thrown.code === "E_RETURN_UNCERTAIN" ? "uncertain" : "held", error });
        return;
      }
    }
    const again = clock.now() + backoffMs(AGAIN, item.attempts + 1);
    await returns.ended(item, { kind: "failed", error, dueAt: again });
    throw thrown;
  }

  /**
   * The inbox says something else: what was to be said last becomes a version behind all that the inbox has. A person sends that of a report.
   */
  async #inConflict(item: StoredReturn, error: ErrorFacts, signal: AbortSignal): Promise<void> {
    const { returns } = this.#deps.store;
    const { destination, stream } = this.#of;
    const { subject, version } = item;
    // Whatever the inbox shows now, the ERP has had this version, or a newer one.
    const shown = (await destination.highest(item.stream, [subject], signal)).get(subject) ?? version;
    const highest = Math.max(shown, version);
    const newest = (await returns.latest(item.stream, [subject])).get(subject) ?? item;
    const last = mayReturn(newest.state, "supersede") ? newest : item;
    const isReport = stream.kind === "reports";
    // Against what the ERP has: it may book the difference alone.
    const before = isReport ? await destination.content?.({ ...item, version: highest }, signal) : undefined;
    const next = {
      ...last,
      content: before === undefined ? last.content : comparedAgain(last.kind, last.content, before),
      version: Math.max(highest, newest.version) + 1,
      replaces: highest,
      kind: isReport && last.kind === "fact" ? "correction" : last.kind,
    } as const;
    await returns.supersede(item, error, next, this.#behind(last, error));
  }

  #behind({ state, error, dueAt }: StoredReturn, conflict: ErrorFacts): PreparedAs {
    if (state === "blocked" && error !== undefined) return { state, error, dueAt };
    return this.#of.stream.kind === "reports" ? { state: "held", error: conflict } : { state: "prepared" };
  }

  #expectMayWrite(): void {
    if (!this.#deps.store.cluster.mayWrite())
      throw new RetryError("E_STORE_LOST", "another daemon may have taken over the store, so nothing is handed over");
  }

  /** Carries out what follows accepted returns, such as the invoice number in the service. */
  async follow(signal: AbortSignal): Promise<void> {
    const { consequence, stream } = this.#of;
    const { store, clock, logger } = this.#deps;
    if (consequence === undefined) return;
    const due = await store.returns.find({ stream: stream.name, following: "due", dueBy: clock.now(), limit: AT_ONCE });
    for (const item of due) {
      if (signal.aborted || item.answer === undefined) continue;
      this.#expectMayWrite();
      try {
        await consequence.carryOut(item, item.answer, signal);
        await store.returns.ended(item, { kind: "followed" });
      } catch (thrown) {
        const error = errorFacts(thrown);
        logger.warn(
          { stream: stream.name, subject: item.subject, err: error },
          "document number was not written into the service",
        );
        const pauseMs =
          thrown instanceof WaitError && thrown.afterMs !== undefined
            ? thrown.afterMs
            : backoffMs(AGAIN, item.attempts + 1);
        await store.returns.ended(item, { kind: "failed", error, dueAt: clock.now() + pauseMs });
        if (!(thrown instanceof ParkError)) throw thrown;
      }
    }
  }
}

import {
  backoffMs,
  DAY_MS,
  errorFacts,
  HANDED_STATES,
  isHanded,
  isJsonObject,
  ParkError,
  SyncError,
  type ReturnContent,
} from "#model";
import type { ReturnMark, StoredReturn } from "#store";
import type { Listed, WholeRecord } from "../contract.ts";
import {
  baseNumber,
  decideUnwanted,
  decideWanted,
  isOld,
  mayHaveLostWhatFollowed,
  nextVersion,
  type KnownSubject,
  type ReturnDecision,
} from "./decide.ts";
import type { LaneDeps, LaneStream } from "./lane-stream.ts";
import { someAtOnce } from "./some-at-once.ts";

/** Between two looks at all records, in milliseconds. */
const WHOLE_LOOK_MS = DAY_MS;
/** Subjects read at once: the forward lane needs the service too. */
const AT_ONCE = 4;
const ROWS_AT_ONCE = 500;
/** How often one subject is decided about in a look, where people decide at the same moment. */
const TRIES = 3;
const BLOCKED = { baseMs: 60_000, maxMs: 3_600_000 };
const EMPTY: ReturnContent = { fields: {}, lines: [] };

/** Looks at what changed in the service, and writes down what is to be returned. Hands over nothing. */
export class Look {
  readonly #deps: LaneDeps;
  readonly #of: LaneStream;

  constructor(deps: LaneDeps, of: LaneStream) {
    this.#deps = deps;
    this.#of = of;
  }

  /**
   * Looks at what changed since the last look, at what could not be made then, and once a day at everything. What concerns one record blocks that record
   * alone. @throws what keeps the service or the inbox from answering; the next look begins where this one did.
   */
  async run(mark: ReturnMark, signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#deps;
    const { stream, reader } = this.#of;
    const { returns } = store;
    const { beginAt } = mark;
    const begun = clock.now();
    const blocked = await returns.find({ stream: stream.name, states: ["blocked"], dueBy: begun, limit: ROWS_AT_ONCE });
    await this.#consider(unlisted(blocked), beginAt, signal);
    const cursor = isJsonObject(mark.cursor) ? mark.cursor : null;
    for await (const batch of reader.changed(cursor, beginAt, signal)) {
      await this.#consider(batch.listed, beginAt, signal);
      await returns.saveMark(stream.name, { cursor: batch.cursor });
    }
    // A clock that was ahead for a moment must not put the look off.
    if (mark.lookedAt === undefined || Math.abs(begun - mark.lookedAt) >= WHOLE_LOOK_MS) {
      await this.#lookAtAll(beginAt, signal);
      await returns.saveMark(stream.name, { lookedAt: begun });
    }
  }

  /**
   * Finds what was missed, what shows another stamp or other totals than when it was last compared, and reports that were handed over and are no
   * longer final, or are gone: the service reports no deletions.
   */
  async #lookAtAll(beginAt: number, signal: AbortSignal): Promise<void> {
    const { returns } = this.#deps.store;
    const { stream, reader } = this.#of;
    const final = new Set<string>();
    for await (const listed of reader.all(beginAt, signal)) {
      const subjects = listed.map(({ subject }) => subject);
      const latest = await returns.latest(stream.name, subjects);
      const news = listed.filter(({ subject, head }) => {
        const known = latest.get(subject);
        return known === undefined || (head !== undefined && head !== known.head);
      });
      await this.#consider(news, beginAt, signal);
      for (const subject of subjects) final.add(subject);
    }
    if (stream.kind !== "reports") return;
    let after: StoredReturn | undefined;
    do {
      const rows = await returns.find({ stream: stream.name, states: HANDED_STATES, after, limit: ROWS_AT_ONCE });
      const missing = rows.filter(({ subject, kind }) => kind !== "cancelled" && !final.has(subject));
      await this.#consider(unlisted(missing), beginAt, signal);
      after = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1);
    } while (after !== undefined);
  }

  async #consider(listed: readonly Listed[], beginAt: number, signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#deps;
    const { returns } = store;
    const { stream, destination } = this.#of;
    if (listed.length === 0) return;
    const subjects = listed.map(({ subject }) => subject);
    const latest = await returns.latest(stream.name, subjects);
    const highest = await destination.highest(stream.name, subjects, signal);
    await someAtOnce(listed, AT_ONCE, async (one) => {
      const { subject } = one;
      let seen = { beginAt, latest: latest.get(subject), highest: highest.get(subject) };
      for (let tries = 0; tries < TRIES; tries++) {
        signal.throwIfAborted();
        if (await this.#decide(one, seen, signal)) return;
        seen = { ...seen, latest: (await returns.latest(stream.name, [subject])).get(subject) };
      }
      logger.error({ stream: stream.name, subject }, "return was not written down");
    });
  }

  /** False if a person decided about the newest version meanwhile: then nothing was written down. */
  async #decide(
    listed: Listed,
    seen: Pick<KnownSubject, "beginAt" | "latest" | "highest">,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { stream, reader, mapper } = this.#of;
    const { subject } = listed;
    const known: KnownSubject = { ...seen, stream, base: await this.#base(seen.latest) };
    let whole: WholeRecord | undefined;
    try {
      whole = await reader.whole(subject, signal);
      if (whole === undefined || !(await mapper.isWanted(whole.record))) {
        const former = known.base?.content ?? EMPTY;
        return await this.#carryOut(listed, known, decideUnwanted(known), whole, mapper.cancelled(former));
      }
      const at = mapper.finalAt(whole.record) ?? whole.modifiedAt;
      // Nothing is asked for what is not returned: its keys may be unknown.
      if (isOld(known, at)) return await this.#carryOut(listed, known, decideWanted(known, "", at), whole, EMPTY);
      const before = known.base?.kind === "cancelled" ? undefined : known.base?.content;
      const content = await mapper.content(whole, before, signal);
      const decision = decideWanted(known, mapper.hash(stream.kind === "reports" ? "fact" : stream.kind, content), at);
      const isDone = await this.#carryOut(listed, known, decision, whole, content);
      if (isDone && known.base && this.#of.consequence && mayHaveLostWhatFollowed(known, decision, at))
        await this.#deps.store.returns.ended(known.base, { kind: "unfollowed" });
      return isDone;
    } catch (thrown) {
      if (!concernsOne(thrown)) throw thrown;
      return this.#block(listed, known, whole, thrown);
    }
  }

  /** The newest version that the ERP has, or may have: without a hash and a content if another store wrote it. */
  async #base(latest: StoredReturn | undefined): Promise<StoredReturn | undefined> {
    const version = baseNumber(latest);
    if (latest === undefined || version === undefined) return undefined;
    if (version === latest.version) return latest;
    const { stream, subject } = latest;
    const base = await this.#deps.store.returns.one({ stream, subject, version });
    if (base !== undefined && isHanded(base.state)) return base;
    const kind = this.#of.stream.kind === "reports" ? "fact" : latest.kind;
    return { ...latest, version, kind, state: "delivered", following: undefined, hash: "", content: EMPTY };
  }

  async #carryOut(
    { subject, head }: Listed,
    known: KnownSubject,
    decision: ReturnDecision,
    whole: WholeRecord | undefined,
    content: ReturnContent,
  ): Promise<boolean> {
    const { store, logger } = this.#deps;
    const { stream, mapper } = this.#of;
    const { latest } = known;
    if (decision.action !== "next") {
      if (latest === undefined) return true;
      if (decision.action === "withdraw" && !(await store.returns.decide(latest, "withdraw", undefined))) return false;
      if (head !== undefined && head !== latest.head) await store.returns.compared(latest, head);
      return true;
    }
    const { next, as } = decision;
    const item = {
      ...next,
      stream: stream.name,
      subject,
      serviceId: whole?.serviceId ?? known.base?.serviceId,
      content,
      hash: mapper.hash(next.kind, content),
      head: head ?? latest?.head,
    };
    const isWritten = await store.returns.prepare(
      item,
      as === "held" ? { state: as, error: errorFacts(correction(next.kind, known.base)) } : { state: as },
    );
    if (isWritten)
      logger.info(
        { stream: stream.name, subject, version: next.version, kind: next.kind, state: as },
        "return was prepared",
      );
    return isWritten;
  }

  async #block(
    { subject, head }: Listed,
    known: KnownSubject,
    whole: WholeRecord | undefined,
    thrown: unknown,
  ): Promise<boolean> {
    const { store, clock, logger } = this.#deps;
    const { stream } = this.#of;
    const { latest, base } = known;
    const error = errorFacts(thrown);
    const attempts = latest?.state === "blocked" ? latest.attempts + 1 : 1;
    const dueAt = clock.now() + backoffMs(BLOCKED, attempts);
    const next = nextVersion(known);
    const serviceId = whole?.serviceId ?? latest?.serviceId;
    const item = {
      ...next,
      stream: stream.name,
      subject,
      serviceId,
      content: base?.content ?? EMPTY,
      hash: "",
      head: head ?? latest?.head,
    };
    logger.warn({ stream: stream.name, subject, err: error }, "return cannot be made yet");
    try {
      return await store.returns.prepare(item, { state: "blocked", error, dueAt });
    } catch (refused) {
      // The store cannot name it, as with a key that is too long: the others flow all the same.
      if (!concernsOne(refused)) throw refused;
      return true;
    }
  }
}

/** The subjects of these returns, each once. */
function unlisted(found: readonly StoredReturn[]): Listed[] {
  return [...new Set(found.map(({ subject }) => subject))].map((subject) => ({ subject }));
}

/** Whether an error concerns one record, so that the others flow. */
function concernsOne(thrown: unknown): boolean {
  if (thrown instanceof ParkError) return thrown.code !== "E_RETURN_INBOX";
  return thrown instanceof SyncError && (thrown.code === "E_RETURN_MOVING" || thrown.code === "E_RETURN_WAITS");
}

function correction(kind: string, base: StoredReturn | undefined): ParkError {
  const what = kind === "cancelled" ? "is no longer approved, or is gone" : "has changed";
  return new ParkError(
    "E_RETURN_CORRECTION",
    `the ERP has version ${base?.version}, and the report ${what} since; a person decides whether the ERP is told`,
  );
}

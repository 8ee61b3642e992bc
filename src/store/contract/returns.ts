import type { Actor, ErrorFacts, Json, Return, ReturnAnswer, ReturnId, ReturnState } from "#model";

/** A return as the store knows it. */
export interface StoredReturn extends Return {
  readonly state: ReturnState;
  readonly preparedAt: number;
  readonly deliveredAt: number | undefined;
  readonly answer: ReturnAnswer | undefined;
  /** What follows an accepted return in the service, such as its number in the invoice; undefined if nothing does. */
  readonly following: "due" | "done" | undefined;
  /** How often handing over (or what follows) was tried since it became due. */
  readonly attempts: number;
  /** When it is tried next, in epoch milliseconds; for a delivered one, when it was delivered. */
  readonly dueAt: number;
  /** Why it is held, uncertain or refused, or why the last attempt failed. */
  readonly error: ErrorFacts | undefined;
  /** What a list of the service showed of the record when this version was last compared with it, in the reader's own form. */
  readonly head: string | undefined;
}

/** A version to be written down, with what a list showed of its record. */
export type NextReturn = Return & Partial<Pick<StoredReturn, "head">>;

/** Where a stream of returns stands. */
export interface ReturnMark {
  /** Nothing that was finished before this moment is returned: when the lane was switched on, unless the sync file says another. */
  readonly beginAt: number;
  /** Where the next look for changes begins, in the reader's own form; undefined before the first. */
  readonly cursor?: Json;
  /** When all records were last looked at, whether or not they changed. */
  readonly lookedAt?: number;
  /** Why the stream does not work now. */
  readonly error?: ErrorFacts & { readonly at: number };
  /** Why a person must look before more is handed over: see the guard. */
  readonly held?: { readonly at: number; readonly count: number; readonly usual: number };
  /** Hours and their counts, from which the guard knows what is usual. */
  readonly rate?: Json;
  /** How many more may be handed over although the guard counts: what a person released. */
  readonly released?: number;
  /** Paused by a person. */
  readonly paused?: { readonly at: number; readonly by: Actor };
}

export type PreparedAs =
  | { readonly state: "prepared" | "seen" }
  | { readonly state: "held"; readonly error: ErrorFacts }
  | { readonly state: "blocked"; readonly error: ErrorFacts; readonly dueAt: number };

/** How an attempt ended. */
export type ReturnOutcome =
  | { readonly kind: "delivered" }
  /** Nothing was handed over; tried again at `dueAt`. */
  | { readonly kind: "failed"; readonly error: ErrorFacts; readonly dueAt: number }
  /** Waits for a person. */
  | { readonly kind: "uncertain" | "held"; readonly error: ErrorFacts }
  /** What follows an accepted return is done. */
  | { readonly kind: "followed" }
  /** What had followed may be gone from the service: it is carried out again. */
  | { readonly kind: "unfollowed" };

/** Where a list of returns continues. */
export type ReturnPlace = ReturnId & Pick<StoredReturn, "dueAt">;

export interface ReturnQuery {
  readonly stream?: string;
  readonly states?: readonly ReturnState[];
  readonly following?: "due";
  /** Only those that no newer version has replaced, other than a withdrawn one. */
  readonly unreplaced?: true;
  /** Only those whose next attempt is due by then. */
  readonly dueBy?: number;
  /** The last one of the page before. The order is that of streams; then, with `dueBy`, of due times; then of subjects and versions. */
  readonly after?: ReturnPlace | undefined;
  readonly limit: number;
}

export interface ReturnCounts {
  readonly stream: string;
  readonly states: Partial<Record<ReturnState, number>>;
  /** When the oldest unanswered one was delivered. */
  readonly oldestUnanswered: number | undefined;
  /** Refused ones that no newer version has replaced. */
  readonly openRefusals: number;
  /** Accepted ones whose consequence in the service is outstanding. */
  readonly following: number;
}

/** The lane back to the ERP: what was handed over, what the ERP said, what is still to be done. */
export interface ReturnStore {
  mark(stream: string): Promise<ReturnMark | undefined>;
  /** Replaces the mark, or these members of it; undefined removes one. Durable when resolved. */
  saveMark(
    stream: string,
    members: Partial<{ [Name in keyof ReturnMark]: ReturnMark[Name] | undefined }>,
  ): Promise<void>;

  /** The newest version of each of these subjects; subjects without one are absent. */
  latest(stream: string, subjects: readonly string[]): Promise<ReadonlyMap<string, StoredReturn>>;

  /**
   * Writes down a version before anything is handed over. Durable when resolved. Replaces this version if it is `blocked`, and withdraws
   * a newest one that is `held` or `blocked` and older. False if the subject has this version in another state, a newer one, or one behind what this
   * one replaces that the ERP has or will have: then nothing was changed. A `blocked` one counts an attempt and is due again at `dueAt`.
   */
  prepare(next: NextReturn, as: PreparedAs): Promise<boolean>;

  /**
   * The inbox has something else than `prepared` says: withdraws it for this reason, with all that waits behind it, and writes down `next`, a version
   * behind all others, in one step. Durable when resolved. False if it is no longer prepared, or `next` is not behind all others: then nothing was changed.
   */
  supersede(prepared: ReturnId, error: ErrorFacts, next: NextReturn, as: PreparedAs): Promise<boolean>;

  /** This version was compared with its record, of which a list showed this, and says the same. */
  compared(id: ReturnId, head: string): Promise<void>;

  one(id: ReturnId): Promise<StoredReturn | undefined>;
  /** All versions of a subject, the newest first. */
  versions(stream: string, subject: string): Promise<readonly StoredReturn[]>;
  find(query: ReturnQuery): Promise<readonly StoredReturn[]>;

  /** Ends an attempt. False if its state has changed meanwhile: then nothing was changed. `delivered` and `followed` are durable. */
  ended(id: ReturnId, outcome: ReturnOutcome): Promise<boolean>;

  /** Keeps the ERP's answer to a delivered return. `follows`: an accepted one has a consequence in the service. A second, other answer replaces the first. */
  answered(id: ReturnId, answer: ReturnAnswer, follows: boolean): Promise<boolean>;

  /**
   * A person's decision about a held, uncertain, refused or blocked return, with an entry in the history. `send` makes it `prepared`; a blocked one is
   * tried again at once, and a refused one is said again by a new version that replaces it, because the inbox has this one. `withdraw` ends a
   * held or blocked one. `arrived` makes an uncertain one `delivered`. Without a person (`by` undefined), `withdraw` also empties its hash: the
   * service took the change back, as if it had never been. False if its state does not allow it.
   */
  decide(id: ReturnId, decision: "send" | "withdraw" | "arrived", by: Actor | undefined): Promise<boolean>;

  /**
   * Empties what the store holds of a subject's contents in all versions: fields, lines, messages, errors, and people's reasons. Versions, hashes and
   * document numbers stay, so that the ERP is told nothing twice. May be repeated. Durable when resolved.
   * @throws {ParkError} E_NOT_FORGETTABLE while a version is still to be handed over, or may have been.
   */
  forget(stream: string, subject: string): Promise<void>;

  /** After the clock was set back: what would lie in the future is now, so that nothing waits for the clock to catch up. May be repeated. */
  clockSetBack(): Promise<void>;

  /** Counts of the streams that have returns, in order of their names. */
  counts(): Promise<readonly ReturnCounts[]>;

  /**
   * Empties contents that were prepared before this moment and are needed no more: of what was withdrawn, and of versions that a newer one has
   * replaced in the ERP. What the ERP has now stays, because corrections are compared with it. Hashes, versions, answers and the order of
   * versions always stay. Returns how many.
   */
  prune(before: number): Promise<number>;
}

import { ParkError, RECORD_STATES, type RecordState } from "#model";

/**
 * Events of a record. By a worker: claim, release, apply, retry, wait, park, uncertain (the result of a create is unknown), skip,
 * remove. From elsewhere: change (the ERP), remap (the sync file), parentBound, parentRebound (to another service id), recheck (the service
 * differs), retryRequested, the four answers and forget (a person).
 */
export type RecordEvent =
  | "change"
  | "remap"
  | "claim"
  | "release"
  | "apply"
  | "retry"
  | "wait"
  | "park"
  | "uncertain"
  | "skip"
  | "remove"
  | "parentBound"
  | "parentRebound"
  | "retryRequested"
  | "recheck"
  | "answerBind"
  | "answerCreate"
  | "answerSkip"
  | "answerUnbind"
  | "forget";

type Move = RecordState | "refused";

const STEPS_REFUSED = {
  release: "refused",
  apply: "refused",
  retry: "refused",
  wait: "refused",
  park: "refused",
  uncertain: "refused",
  skip: "refused",
  remove: "refused",
} as const;

const ANSWERS_REFUSED = { answerBind: "refused", answerCreate: "refused", answerSkip: "refused" } as const;

const ANSWERS_TAKEN = { answerBind: "due", answerCreate: "due", answerSkip: "skipped" } as const;

/**
 * Every legal move; the drawing is in README.md. A record that stays "claimed" on a change, a remap or a rebound parent is marked to become
 * due when its claim ends. "claim" on a claimed record is legal only once the lease has expired.
 */
export const TRANSITIONS: { readonly [S in RecordState]: { readonly [E in RecordEvent]: Move } } = {
  due: {
    ...STEPS_REFUSED,
    ...ANSWERS_TAKEN,
    change: "due",
    remap: "due",
    claim: "claimed",
    parentBound: "due",
    parentRebound: "due",
    retryRequested: "due",
    recheck: "due",
    answerUnbind: "due",
    forget: "refused",
  },
  claimed: {
    ...ANSWERS_REFUSED,
    change: "claimed",
    remap: "claimed",
    claim: "claimed",
    release: "due",
    apply: "applied",
    retry: "due",
    wait: "waiting",
    park: "parked",
    uncertain: "uncertain",
    skip: "skipped",
    remove: "deleted",
    parentBound: "claimed",
    parentRebound: "claimed",
    retryRequested: "claimed",
    recheck: "claimed",
    answerUnbind: "refused",
    forget: "refused",
  },
  waiting: {
    ...STEPS_REFUSED,
    ...ANSWERS_TAKEN,
    change: "due",
    remap: "due",
    claim: "claimed",
    parentBound: "due",
    parentRebound: "waiting",
    retryRequested: "due",
    recheck: "waiting",
    answerUnbind: "due",
    forget: "skipped",
  },
  applied: {
    ...STEPS_REFUSED,
    ...ANSWERS_REFUSED,
    change: "due",
    remap: "due",
    claim: "refused",
    parentBound: "applied",
    parentRebound: "due",
    retryRequested: "applied",
    recheck: "due",
    answerUnbind: "due",
    forget: "skipped",
  },
  parked: {
    ...STEPS_REFUSED,
    ...ANSWERS_TAKEN,
    change: "due",
    remap: "due",
    claim: "refused",
    parentBound: "parked",
    parentRebound: "due",
    retryRequested: "due",
    recheck: "parked",
    answerUnbind: "due",
    forget: "skipped",
  },
  uncertain: {
    ...STEPS_REFUSED,
    ...ANSWERS_TAKEN,
    change: "due",
    remap: "due",
    claim: "refused",
    parentBound: "uncertain",
    parentRebound: "uncertain",
    retryRequested: "due",
    recheck: "uncertain",
    answerUnbind: "refused",
    forget: "refused",
  },
  skipped: {
    ...STEPS_REFUSED,
    ...ANSWERS_REFUSED,
    // It was left out because the service seemed not to have it: a person may know better.
    answerBind: "due",
    change: "due",
    remap: "due",
    claim: "refused",
    parentBound: "skipped",
    parentRebound: "skipped",
    retryRequested: "due",
    recheck: "skipped",
    answerUnbind: "skipped",
    forget: "skipped",
  },
  deleted: {
    ...STEPS_REFUSED,
    ...ANSWERS_REFUSED,
    change: "due",
    remap: "deleted",
    claim: "refused",
    parentBound: "deleted",
    parentRebound: "deleted",
    retryRequested: "deleted",
    recheck: "due",
    answerUnbind: "deleted",
    forget: "deleted",
  },
};

/**
 * The state after an event.
 * @throws {ParkError} E_STORE_STATE when the move is not in the table: a defect of the program.
 */
export function next(state: RecordState, event: RecordEvent): RecordState {
  const move = TRANSITIONS[state][event];
  if (move === "refused") throw new ParkError("E_STORE_STATE", `a record that is ${state} cannot ${event}`);
  return move;
}

/** Whether the event may happen to a record in this state. */
export function allows(state: RecordState, event: RecordEvent): boolean {
  return TRANSITIONS[state][event] !== "refused";
}

/** Whether a person may still decide which service record a record in this state belongs to. */
export function isAnswerable(state: RecordState): boolean {
  return allows(state, "answerBind");
}

/** The states that the event turns into `target`, except `target` itself, for bulk updates. */
export function statesMovedTo(target: RecordState, event: RecordEvent): RecordState[] {
  return RECORD_STATES.filter((state) => state !== target && TRANSITIONS[state][event] === target);
}

/** The states in which a bound record that differs in the service stays until it is delivered for another reason. */
export const COMPARED_STILL: readonly RecordState[] = ["due", "waiting", "parked", "skipped"];

import { ParkError, RECORD_STATES, type RecordState } from "#model";

/**
 * What can happen to a record. A worker's steps: claim, release, apply, retry, wait, park, lose (the result of a create is
 * unknown), skip, remove. From elsewhere: change (the ERP), remap (the sync file), wake (a parent was bound), rewire (a
 * parent was bound to another service id), recheck (the service differs), revive and the four answers (a person).
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
  | "lose"
  | "skip"
  | "remove"
  | "wake"
  | "rewire"
  | "revive"
  | "recheck"
  | "answerBind"
  | "answerCreate"
  | "answerSkip"
  | "answerUnbind";

type Move = RecordState | "refused";

const STEPS_REFUSED = {
  release: "refused",
  apply: "refused",
  retry: "refused",
  wait: "refused",
  park: "refused",
  lose: "refused",
  skip: "refused",
  remove: "refused",
} as const;

const ANSWERS_REFUSED = { answerBind: "refused", answerCreate: "refused", answerSkip: "refused" } as const;

const ANSWERS_TAKEN = { answerBind: "due", answerCreate: "due", answerSkip: "skipped" } as const;

/**
 * Every legal move; the drawing is in README.md. A record that stays "claimed" on a change, a remap or a rewire is marked
 * to become due when its claim ends. "claim" on a claimed record is legal only once the lease ran out.
 */
const TRANSITIONS: { readonly [S in RecordState]: { readonly [E in RecordEvent]: Move } } = {
  due: {
    ...STEPS_REFUSED,
    ...ANSWERS_TAKEN,
    change: "due",
    remap: "due",
    claim: "claimed",
    wake: "due",
    rewire: "due",
    revive: "due",
    recheck: "due",
    answerUnbind: "due",
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
    lose: "uncertain",
    skip: "skipped",
    remove: "deleted",
    wake: "claimed",
    rewire: "claimed",
    revive: "claimed",
    recheck: "claimed",
    answerUnbind: "refused",
  },
  waiting: {
    ...STEPS_REFUSED,
    ...ANSWERS_TAKEN,
    change: "due",
    remap: "due",
    claim: "claimed",
    wake: "due",
    rewire: "waiting",
    revive: "due",
    recheck: "waiting",
    answerUnbind: "due",
  },
  applied: {
    ...STEPS_REFUSED,
    ...ANSWERS_REFUSED,
    change: "due",
    remap: "due",
    claim: "refused",
    wake: "applied",
    rewire: "due",
    revive: "applied",
    recheck: "due",
    answerUnbind: "due",
  },
  parked: {
    ...STEPS_REFUSED,
    ...ANSWERS_TAKEN,
    change: "due",
    remap: "due",
    claim: "refused",
    wake: "parked",
    rewire: "due",
    revive: "due",
    recheck: "parked",
    answerUnbind: "due",
  },
  uncertain: {
    ...STEPS_REFUSED,
    ...ANSWERS_TAKEN,
    change: "due",
    remap: "due",
    claim: "refused",
    wake: "uncertain",
    rewire: "uncertain",
    revive: "due",
    recheck: "uncertain",
    answerUnbind: "refused",
  },
  skipped: {
    ...STEPS_REFUSED,
    ...ANSWERS_REFUSED,
    change: "due",
    remap: "due",
    claim: "refused",
    wake: "skipped",
    rewire: "skipped",
    revive: "due",
    recheck: "skipped",
    answerUnbind: "skipped",
  },
  deleted: {
    ...STEPS_REFUSED,
    ...ANSWERS_REFUSED,
    change: "due",
    remap: "deleted",
    claim: "refused",
    wake: "deleted",
    rewire: "deleted",
    revive: "deleted",
    recheck: "deleted",
    answerUnbind: "deleted",
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

/** True when the event may happen to a record in this state. */
export function allows(state: RecordState, event: RecordEvent): boolean {
  return TRANSITIONS[state][event] !== "refused";
}

/** Can a person still answer what a record in this state belongs to? */
export function isAnswerable(state: RecordState): boolean {
  return allows(state, "answerBind");
}

/** The states that the event turns into `target`, `target` itself left out: what a bulk update looks for. */
export function statesMovedTo(target: RecordState, event: RecordEvent): RecordState[] {
  return RECORD_STATES.filter((state) => state !== target && TRANSITIONS[state][event] === target);
}

import type { ReturnState } from "#model";

/**
 * What happens to a return. By the lane: make (a blocked one), pass (a newer version replaces one that waits), supersede (the inbox says something
 * else, so a version behind it replaces this one), deliver, fail (tried again later), doubt, hold, takeBack (the service took the change back). By the ERP: accept, refuse. By a person: send, withdraw, arrive,
 * forget (its contents).
 */
export type ReturnEvent =
  | "make"
  | "pass"
  | "supersede"
  | "deliver"
  | "fail"
  | "doubt"
  | "hold"
  | "takeBack"
  | "accept"
  | "refuse"
  | "send"
  | "withdraw"
  | "arrive"
  | "forget";

type Moves = Partial<Record<ReturnEvent, ReturnState>>;

const WITHDRAWN = { pass: "withdrawn", supersede: "withdrawn", withdraw: "withdrawn", takeBack: "withdrawn" } as const;
const ANSWERED = { accept: "accepted", refuse: "refused" } as const;

/**
 * Every allowed move; what is missing is refused. A blocked one is made as prepared, held or seen, or stays blocked: `make` only says that it may
 * be. A refused one stays in the inbox: to send it again makes a new version, so its own state stays. `fail` of an accepted one is that of what
 * follows it.
 */
export const RETURN_MOVES: { readonly [State in ReturnState]: Readonly<Moves> } = {
  blocked: { ...WITHDRAWN, make: "blocked", send: "blocked" },
  held: { ...WITHDRAWN, send: "prepared" },
  prepared: { supersede: "withdrawn", deliver: "delivered", fail: "prepared", doubt: "uncertain", hold: "held" },
  uncertain: { ...ANSWERED, send: "prepared", arrive: "delivered" },
  delivered: { ...ANSWERED, forget: "delivered" },
  accepted: { ...ANSWERED, fail: "accepted", forget: "accepted" },
  refused: { ...ANSWERED, send: "refused", forget: "refused" },
  seen: { forget: "seen" },
  withdrawn: { forget: "withdrawn" },
};

/** Whether the event may happen to a return in this state. */
export function mayReturn(state: ReturnState, event: ReturnEvent): boolean {
  return RETURN_MOVES[state][event] !== undefined;
}

import { Dice } from "../dice.ts";

const TARGETS = ["store", "queue", "service"] as const;
export type Target = (typeof TARGETS)[number];

const METHODS = ["POST", "PUT", "DELETE"] as const;
/** A request of the replica that is under way when the fault strikes. */
export type Method = (typeof METHODS)[number];

const MANNERS = ["both ways", "to the server", "to the client", "slow", "reset", "committed, not answered"] as const;
export type Manner = (typeof MANNERS)[number];

/** What is done to the replicas and to what they share; `ms` is how long it lasts. */
export type ReplicaFault =
  | {
      readonly kind: "kill";
      readonly replica: number;
      readonly during?: Method;
      readonly ms: number;
      /** A person knows that it is dead, and says so. */
      readonly isReported: boolean;
    }
  | { readonly kind: "clean stop"; readonly replica: number; readonly ms: number }
  | { readonly kind: "freeze"; readonly replica: number; readonly during?: Method; readonly ms: number }
  | {
      readonly kind: "partition";
      readonly replica: number;
      readonly target: Target;
      readonly manner: Manner;
      readonly ms: number;
    }
  | { readonly kind: "clock"; readonly replica: number; readonly offsetMs: number }
  | { readonly kind: "store stop"; readonly manner: "fast" | "immediate"; readonly ms: number }
  | { readonly kind: "queue flush" }
  | { readonly kind: "queue stop"; readonly ms: number }
  | {
      readonly kind: "late write";
      readonly replica: number;
      readonly during: Method;
      readonly lost: "kill" | "freeze";
      readonly ms: number;
    }
  /** `loses`: a create at least, or what is committed within `ms`. */
  | { readonly kind: "store failover"; readonly loses: "a create" | "a moment"; readonly ms: number }
  | { readonly kind: "slow after authentication"; readonly method: Method; readonly ms: number; readonly count: number }
  | { readonly kind: "tokens revoked" }
  | { readonly kind: "429 storm"; readonly ms: number }
  | { readonly kind: "rolling restart" }
  | { readonly kind: "command"; readonly command: number };

export interface PlannedFault {
  /** Milliseconds after the start of the faults. */
  readonly atMs: number;
  readonly fault: ReplicaFault;
}

/** How often each kind is drawn. */
const WEIGHTS: readonly (readonly [weight: number, kind: ReplicaFault["kind"]])[] = [
  [6, "kill"],
  [3, "clean stop"],
  [6, "freeze"],
  [4, "late write"],
  [9, "partition"],
  [3, "clock"],
  [2, "store stop"],
  [2, "queue flush"],
  [1, "queue stop"],
  [3, "slow after authentication"],
  [2, "tokens revoked"],
  [2, "429 storm"],
  [1, "rolling restart"],
  [8, "command"],
];
const GAP_MS = { from: 300, to: 3_500 };
const MINUTE_MS = 60_000;

/** The faults of a run, from the seed alone. Each kind comes once before any comes by chance. `failsOver`: PostgreSQL loses commits too. */
export function planOf(seed: number, minutes: number, replicas: number, failsOver: boolean): PlannedFault[] {
  const dice = new Dice(seed).fork("replicas");
  const plan: PlannedFault[] = [];
  const weights: typeof WEIGHTS = failsOver ? [...WEIGHTS, [3, "store failover"]] : WEIGHTS;
  const first = dice.shuffled(weights.map(([, kind]) => kind));
  for (let atMs = dice.between(GAP_MS.from, GAP_MS.to); atMs < minutes * MINUTE_MS;) {
    plan.push({ atMs, fault: draw(first.pop() ?? dice.weighted(weights), dice, replicas) });
    atMs += dice.between(GAP_MS.from, GAP_MS.to);
  }
  return plan;
}

function draw(kind: ReplicaFault["kind"], dice: Dice, replicas: number): ReplicaFault {
  const replica = dice.between(0, replicas - 1);
  const during = dice.chance(0.5) ? { during: dice.pick(METHODS) } : {};
  switch (kind) {
    case "kill":
      return { kind, replica, ...during, ms: dice.between(0, 6_000), isReported: dice.chance(0.3) };
    case "clean stop":
      return { kind, replica, ms: dice.between(0, 3_000) };
    case "freeze":
      return { kind, replica, ...during, ms: long(dice) };
    case "late write":
      return {
        kind,
        replica,
        during: dice.pick(METHODS),
        lost: dice.pick(["kill", "freeze"] as const),
        ms: dice.between(8_000, 45_000),
      };
    case "partition":
      return { kind, replica, target: dice.pick(TARGETS), manner: dice.pick(MANNERS), ms: long(dice) };
    case "clock":
      return { kind, replica, offsetMs: dice.between(-10 * MINUTE_MS, 10 * MINUTE_MS) };
    case "store stop":
      return { kind, manner: dice.pick(["fast", "immediate"] as const), ms: dice.between(0, 8_000) };
    case "queue stop":
      return { kind, ms: dice.between(200, 5_000) };
    case "slow after authentication":
      return { kind, method: dice.pick(METHODS), ms: dice.between(500, 3_000), count: dice.between(1, 4) };
    case "429 storm":
      return { kind, ms: dice.between(500, 4_000) };
    case "command":
      return { kind, command: dice.between(0, 1_000_000) };
    case "store failover":
      return { kind, loses: dice.pick(["a create", "a moment"] as const), ms: dice.between(0, 3_000) };
    case "queue flush":
    case "tokens revoked":
    case "rolling restart":
      return { kind };
  }
}

/** Mostly seconds, around the eight after which a replica is given up, and up to a minute. */
function long(dice: Dice): number {
  return dice.weighted([
    [5, dice.between(1_000, 7_000)],
    [5, dice.between(7_000, 16_000)],
    [1, dice.between(16_000, 60_000)],
  ]);
}

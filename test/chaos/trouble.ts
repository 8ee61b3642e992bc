import { sleep } from "#model";
import type { Fault, Sandbox } from "#sandbox";
import type { Dice } from "./dice.ts";
import { CALL_TIMEOUT_SECONDS } from "./rig.ts";

const RESOURCES = ["customer", "customerContact", "ticket", "svcDocument"];
const EMPTY_SHAPES = ["noBody", "null", "array", "noContent", "refusal", "list"] as const;
/** Ids that no record can have. */
const ODD_IDS = ["1e30", "0", "-1", "9007199254740993"];
/** Lists are read seldom: what is aimed at them stays armed for longer. */
const LISTS_MS = 6_000;
/** What a fault holds back for longer than the daemon waits is committed this late at most. */
const LATE_MS = CALL_TIMEOUT_SECONDS * 1_000 + 1_200;

/** What goes wrong at the service, one thing after another and some at once. */
export class ServiceTrouble {
  /** Strikes by kind, and by the moment where that makes a difference. */
  readonly strikes = new Map<string, number>();
  readonly #sandbox: Sandbox;
  readonly #dice: Dice;

  constructor(sandbox: Sandbox, dice: Dice) {
    this.#sandbox = sandbox;
    this.#dice = dice;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      void this.#storm(signal);
      await sleep(this.#dice.between(400, 2_500), signal);
    }
  }

  /** Arms a fault for a while and counts how often it struck. */
  async arm(name: string, fault: Fault, ms: number, signal: AbortSignal): Promise<void> {
    const id = this.#sandbox.faults.add(fault);
    await sleep(ms, signal);
    const hits = this.#sandbox.faults.list().find((armed) => armed.id === id)?.hits ?? 0;
    this.#sandbox.faults.clear(id);
    if (hits > 0) this.strikes.set(name, (this.strikes.get(name) ?? 0) + hits);
  }

  async #storm(signal: AbortSignal): Promise<void> {
    const { name, fault, ms } = this.#draw();
    await this.arm(name, fault, ms, signal);
  }

  #draw(): { name: string; fault: Fault; ms: number } {
    const dice = this.#dice;
    const aim = {
      ...(dice.chance(0.6) ? { method: dice.pick(["POST", "PUT", "PUT", "GET", "DELETE"] as const) } : {}),
      ...(dice.chance(0.4) ? { resource: dice.pick(RESOURCES) } : {}),
      seed: dice.between(1, 1_000_000),
    };
    const some = { ...aim, count: dice.between(1, 6), probability: 0.6 };
    const when = dice.pick(["before", "during", "after"] as const);
    const commitDelayMs = dice.between(1, LATE_MS);
    const ms = dice.between(800, 4_000);
    return dice.weighted([
      [5, { name: `connection cut ${when} the commit`, fault: { ...some, kind: "cut", when, commitDelayMs }, ms }],
      [2, { name: "answer cut in its middle", fault: { ...some, kind: "cut", when: "midBody" }, ms }],
      [
        5,
        {
          name: `5xx ${when} the commit`,
          fault: { ...some, kind: "serverError", when, commitDelayMs, status: dice.pick([500, 502, 503, 504]) },
          ms,
        },
      ],
      [
        2,
        { name: "HTML page after the commit", fault: { ...some, kind: "serverError", when: "after", html: true }, ms },
      ],
      [
        3,
        {
          name: "429",
          fault: {
            ...aim,
            kind: "tooMany",
            count: dice.between(5, 40),
            ...(dice.chance(0.7)
              ? { retryAfterSeconds: dice.between(0, 2), retryAfterForm: dice.pick(["seconds", "date"] as const) }
              : {}),
          },
          ms,
        },
      ],
      [3, { name: `redirect ${when} the commit`, fault: { ...some, kind: "redirect", when }, ms }],
      [
        2,
        {
          name: "gateway refuses everything",
          fault: { kind: "gateway404", path: "*/restApi/v1/*", status: dice.pick([400, 403, 404]) },
          ms,
        },
      ],
      [
        1,
        {
          name: "gateway refuses logins",
          fault: { kind: "gateway404", resource: "login", status: dice.pick([400, 403]), count: 1 },
          ms: LISTS_MS,
        },
      ],
      [
        2,
        {
          name: "rate limit",
          fault: {
            kind: "rateLimit",
            perSecond: dice.between(10, 40),
            ...(dice.chance(0.5) ? { retryAfterSeconds: 1 } : {}),
          },
          ms,
        },
      ],
      [3, { name: "commit after the time-out", fault: { ...some, kind: "latency", when: "before", ms: LATE_MS }, ms }],
      [3, { name: "answer after the time-out", fault: { ...some, kind: "latency", when: "after", ms: LATE_MS }, ms }],
      [2, { name: "slow answer", fault: { ...aim, kind: "latency", ms: dice.between(20, 400), jitterMs: 300 }, ms }],
      [2, { name: "body after the time-out", fault: { ...some, kind: "slowBody", ms: LATE_MS }, ms }],
      [3, { name: "broken JSON", fault: { ...some, kind: "brokenJson" }, ms }],
      [3, { name: "tokens revoked", fault: { ...aim, kind: "revokeTokens", count: 1 }, ms }],
      [
        3,
        {
          name: "list without anything",
          fault: { kind: "emptyList", shape: dice.pick(EMPTY_SHAPES), count: 1 },
          ms: LISTS_MS,
        },
      ],
      [
        3,
        {
          name: "stamp in the future",
          fault: { kind: "futureStamp", method: "GET", resource: dice.pick(RESOURCES), count: 2 },
          ms: LISTS_MS,
        },
      ],
      [3, { name: "odd id", fault: { ...some, kind: "oddId", id: dice.pick(ODD_IDS) }, ms }],
      [3, { name: "lists lag", fault: { kind: "staleList", lagMs: dice.between(200, 3_000) }, ms: LISTS_MS }],
      [1, { name: "service away", fault: { kind: "cut", when: "before" }, ms: dice.between(1_000, 6_000) }],
    ]);
  }
}

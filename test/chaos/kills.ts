import { sleep } from "#model";
import type { Sandbox } from "#sandbox";
import type { Dice } from "./dice.ts";
import type { Keeper } from "./keeper.ts";

const METHODS = { create: "POST", update: "PUT", delete: "DELETE" } as const;
const LOOK_MS = 3;
/** How long a request is held so that the kill finds it there. */
const HELD_MS = 600;
const PATIENCE_MS = 6_000;

/** kill -9 at random and at every step of a delivery that can be told from outside. */
export class Kills {
  /** Kills by step. */
  readonly steps = new Map<string, number>();
  readonly #keeper: Keeper;
  readonly #sandbox: Sandbox;
  readonly #dice: Dice;

  constructor(keeper: Keeper, sandbox: Sandbox, dice: Dice) {
    this.#keeper = keeper;
    this.#sandbox = sandbox;
    this.#dice = dice;
  }

  async run(signal: AbortSignal): Promise<void> {
    await sleep(4_000, signal);
    const plan = this.#plan();
    for (let at = 0; !signal.aborted; at++) {
      const { step, isThere } = plan[at % plan.length]!;
      if ((await isThere(signal)) && this.#keeper.kill()) this.steps.set(step, (this.steps.get(step) ?? 0) + 1);
      await sleep(this.#dice.between(500, 5_000), signal);
    }
  }

  #plan(): { step: string; isThere: (signal: AbortSignal) => Promise<boolean> }[] {
    const steps = [
      { step: "at random", isThere: async () => true },
      {
        step: "at random",
        isThere: async (signal: AbortSignal) => (await sleep(this.#dice.between(0, 2_000), signal), true),
      },
      { step: "starting", isThere: (signal: AbortSignal) => this.#starting(signal) },
      { step: "after a login", isThere: (signal: AbortSignal) => this.#ended("POST", "login", signal) },
      { step: "after a poll", isThere: () => this.#said(/"msg":"stream polled"/) },
      ...(["create", "update", "delete"] as const).flatMap((verb) => [
        {
          step: `${verb}: sent, not committed`,
          isThere: (signal: AbortSignal) => this.#held(METHODS[verb], "before", signal),
        },
        {
          step: `${verb}: committed, not answered`,
          isThere: (signal: AbortSignal) => this.#held(METHODS[verb], "after", signal),
        },
        {
          step: `${verb}: answered, not stored`,
          isThere: (signal: AbortSignal) => this.#ended(METHODS[verb], undefined, signal),
        },
        { step: `${verb}: stored`, isThere: () => this.#said(new RegExp(`"outcome":"${verb}d"`)) },
      ]),
    ];
    // Each step once per round.
    return this.#dice.shuffled(steps);
  }

  async #starting(signal: AbortSignal): Promise<boolean> {
    this.#keeper.kill();
    await sleep(this.#dice.between(100, 1_500), signal);
    return true;
  }

  async #said(pattern: RegExp): Promise<boolean> {
    return (await this.#keeper.daemon.said(pattern, PATIENCE_MS)) !== undefined;
  }

  async #ended(method: string, resource: string | undefined, signal: AbortSignal): Promise<boolean> {
    const heard = this.#sandbox.ledger.next({ method, status: 200, ...(resource === undefined ? {} : { resource }) });
    const late = sleep(PATIENCE_MS, signal).then(() => undefined);
    return (await Promise.race([heard, late])) !== undefined;
  }

  /** Holds the next request of this kind before or after its commit; true while it is held. */
  async #held(method: "POST" | "PUT" | "DELETE", when: "before" | "after", signal: AbortSignal): Promise<boolean> {
    const { faults } = this.#sandbox;
    const id = faults.add({ kind: "latency", when, ms: HELD_MS, method, count: 1 });
    const deadline = Date.now() + PATIENCE_MS;
    let struck = false;
    while (!struck && !signal.aborted && Date.now() < deadline) {
      await sleep(LOOK_MS);
      struck = faults.list().some((armed) => armed.id === id && armed.hits > 0);
    }
    faults.clear(id);
    return struck;
  }
}

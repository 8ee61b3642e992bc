import { ServiceRefusal } from "./failures.ts";

/** What a trial showed: it works, it does not, or there was nothing to try it on. */
export type Trial = "works" | "fails" | "untried";

/** Ways that a tenant may or may not have, each tried once before it is believed. */
export class Proofs {
  readonly #trials = new Map<string, Promise<Trial>>();

  /** True when the trial showed that the way works. One trial at a time; without a result it is made again. */
  async holds(way: string, trial: () => Promise<Trial>): Promise<boolean> {
    let running = this.#trials.get(way);
    if (running === undefined) {
      running = this.#run(way, trial);
      this.#trials.set(way, running);
    }
    return (await running) === "works";
  }

  async #run(way: string, trial: () => Promise<Trial>): Promise<Trial> {
    let result: Trial = "untried";
    try {
      result = await trial();
    } catch (thrown) {
      if (!(thrown instanceof ServiceRefusal)) throw thrown;
      result = "fails";
    } finally {
      if (result === "untried") this.#trials.delete(way);
    }
    return result;
  }
}

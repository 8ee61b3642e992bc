import type { ReturnAnswer } from "#model";
import type { StoredReturn } from "#store";
import type { LaneDeps, LaneStream } from "./lane-stream.ts";

const AT_ONCE = 500;
/** Per round; the next round continues from there, so that a hundred thousand open returns do not keep the lane from handing over. */
const PARTS_A_ROUND = 20;

/** Reads what the ERP said to what was handed over. */
export class AnswerReader {
  readonly #deps: LaneDeps;
  readonly #of: LaneStream;
  #after: StoredReturn | undefined;

  constructor(deps: LaneDeps, of: LaneStream) {
    this.#deps = deps;
    this.#of = of;
  }

  /**
   * Also reads new answers to what was refused, because the ERP's people may have corrected the reason, and to what is uncertain: an answer proves
   * that it arrived. @throws what keeps the inbox from answering.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { stream, destination } = this.#of;
    if (stream.answers === undefined) return;
    for (let part = 0; part < PARTS_A_ROUND && !signal.aborted; part++) {
      const open = await this.#deps.store.returns.find({
        stream: stream.name,
        states: ["delivered", "refused", "uncertain"],
        after: this.#after,
        limit: AT_ONCE,
      });
      const answers = open.length === 0 ? [] : await destination.answers(open, signal);
      for (const [at, item] of open.entries()) await this.#keep(item, answers[at]);
      this.#after = open.length < AT_ONCE ? undefined : open.at(-1);
      if (this.#after === undefined) return;
    }
  }

  async #keep(item: StoredReturn, answer: ReturnAnswer | undefined): Promise<void> {
    if (answer === undefined || isSame(answer, item.answer)) return;
    const { store, logger } = this.#deps;
    const { stream, consequence } = this.#of;
    const follows =
      answer.result === "ok" && answer.document !== undefined && consequence !== undefined && item.kind !== "cancelled";
    if (!(await store.returns.answered(item, answer, follows))) return;
    const { subject, version } = item;
    const { result, document, message } = answer;
    const facts = { stream: stream.name, subject, version, result, document };
    if (result === "ok") logger.info(facts, "return was accepted");
    else logger.warn({ ...facts, reason: message }, "return was refused by the ERP");
  }
}

function isSame(one: ReturnAnswer, other: ReturnAnswer | undefined): boolean {
  return one.result === other?.result && one.document === other.document && one.message === other.message;
}

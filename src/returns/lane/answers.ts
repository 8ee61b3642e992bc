import type { ReturnAnswer, ReturnState } from "#model";
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
  #acceptedAfter: StoredReturn | undefined;

  constructor(deps: LaneDeps, of: LaneStream) {
    this.#deps = deps;
    this.#of = of;
  }

  /**
   * Also reads new answers to what was refused, because the ERP's people may have corrected the reason, and to what is uncertain: an answer proves
   * that it arrived. In a table, answers to what was accepted are read again in turn, one part a round: the ERP may change them.
   * @throws what keeps the inbox from answering.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { answers } = this.#of.stream;
    if (answers === undefined) return;
    for (let part = 0; part < PARTS_A_ROUND && !signal.aborted; part++) {
      this.#after = await this.#part(["delivered", "refused", "uncertain"], this.#after, signal);
      if (this.#after === undefined) break;
    }
    if (answers.table !== undefined && !signal.aborted)
      this.#acceptedAfter = await this.#part(["accepted"], this.#acceptedAfter, signal);
  }

  /** Reads the answers to the next returns in these states. Resolves to where the next part continues; undefined at the end. */
  async #part(states: readonly ReturnState[], after: StoredReturn | undefined, signal: AbortSignal) {
    const { stream, destination } = this.#of;
    const found = await this.#deps.store.returns.find({ stream: stream.name, states, after, limit: AT_ONCE });
    const answers = found.length === 0 ? [] : await destination.answers(found, signal);
    for (const [at, item] of found.entries()) await this.#keep(item, answers[at]);
    return found.length < AT_ONCE ? undefined : found.at(-1);
  }

  async #keep(item: StoredReturn, answer: ReturnAnswer | undefined): Promise<void> {
    if (answer === undefined || isKnown(answer, item)) return;
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

function isKnown({ result, document, message }: ReturnAnswer, { answer, content }: StoredReturn): boolean {
  if (result !== answer?.result || document !== answer.document) return false;
  // What was forgotten is not read in again.
  const isForgotten = Object.keys(content.fields).length === 0 && content.lines.length === 0;
  return message === answer.message || (answer.message === undefined && isForgotten);
}

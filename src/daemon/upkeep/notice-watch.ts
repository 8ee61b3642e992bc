import { errorFacts, repeatedly, sleep, errorText, type ErrorFacts } from "#model";
import { remedyOf } from "#operator";
import { conditionsOf, type Condition, type ConditionPolicy, type NoticeFacts, type Notifier } from "#notify";
import type { Logger } from "#telemetry";

export interface NoticeWatchDeps {
  readonly notifier: Pick<Notifier, "look" | "deliver" | "settled">;
  readonly read: (signal: AbortSignal) => Promise<NoticeFacts>;
  readonly policy: ConditionPolicy;
  readonly logger: Logger;
  readonly everyMs?: number;
}

/** How often the daemon compares current conditions with what was reported, in milliseconds. */
const EVERY_MS = 10_000;
/** How long a stop waits for the last messages, in milliseconds; unsent ones follow at the next start. */
const LAST_WORDS_MS = 10_000;

/** Reports changed conditions to people. It only observes: its failures never affect a delivery. */
export class NoticeWatch {
  readonly #deps: NoticeWatchDeps;
  #isFailing = false;

  constructor(deps: NoticeWatchDeps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    await repeatedly(this.#deps.everyMs ?? EVERY_MS, () => this.look(signal), signal);
  }

  /** Compares once and starts to send what changed. */
  async look(signal: AbortSignal, stopped?: ErrorFacts): Promise<void> {
    const { notifier, read, policy, logger } = this.#deps;
    try {
      const conditions = conditionsOf(await read(signal), policy);
      if (signal.aborted) return;
      await notifier.look(stopped === undefined ? conditions : [...conditions, stopCondition(stopped)]);
      this.#isFailing = false;
    } catch (thrown) {
      if (!this.#isFailing) logger.warn({ err: errorFacts(thrown) }, "conditions could not be compared");
      this.#isFailing = true;
    }
    notifier.deliver(signal);
  }

  /** Compares a last time before the daemon ends. The returned function waits, for a limited time, until its messages are sent. */
  async finish(stopped: ErrorFacts | undefined): Promise<() => Promise<void>> {
    const signal = AbortSignal.timeout(LAST_WORDS_MS);
    await this.look(signal, stopped);
    return () => Promise.race([this.#deps.notifier.settled(), sleep(LAST_WORDS_MS, signal)]);
  }
}

function stopCondition(error: ErrorFacts): Condition {
  return {
    id: "stopped",
    kind: "stopped",
    severity: "problem",
    title: "svcsync stopped: it cannot continue",
    cause: errorText(error),
    affected: "all streams; nothing is lost",
    remedy: remedyOf(error, { stream: "STREAM" }),
    patienceMs: 0,
  };
}

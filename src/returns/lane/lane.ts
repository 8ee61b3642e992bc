import { Bell, errorFacts, StopError, type ErrorFacts } from "#model";
import type { ReturnMark } from "#store";
import { AnswerReader } from "./answers.ts";
import { HandOver } from "./hand-over.ts";
import type { LaneDeps, LaneStream } from "./lane-stream.ts";
import { Look } from "./look.ts";

export interface ReturnLaneDeps extends LaneDeps {
  /** The service's clock: the moment of switching on is compared with its stamps. */
  readonly serviceNow: () => number;
  /** How often to look where the sync file does not say, in milliseconds. */
  readonly everyMs: number;
}

interface Parts {
  readonly look: Look;
  readonly handOver: HandOver;
  readonly answers: AnswerReader;
  readonly bell: Bell;
}

/**
 * The lane back to the ERP. Each stream looks at the service, writes down what is to be returned, hands it over, and reads the answers, round
 * by round. A fault in one part does not keep the others from working, and is kept in the stream's mark until a round succeeds.
 */
export class ReturnLane {
  readonly #deps: ReturnLaneDeps;
  readonly #streams: ReadonlyMap<LaneStream, Parts>;

  constructor(deps: ReturnLaneDeps, streams: readonly LaneStream[]) {
    this.#deps = deps;
    this.#streams = new Map(
      streams.map((of) => [
        of,
        {
          look: new Look(deps, of),
          handOver: new HandOver(deps, of),
          answers: new AnswerReader(deps, of),
          bell: new Bell(),
        },
      ]),
    );
  }

  /** Runs rounds until the signal is aborted. @throws {StopError} when the daemon cannot continue. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(
      [...this.#streams].map(async ([of, parts]) => {
        while (!signal.aborted) {
          await this.#round(of, parts, signal);
          await parts.bell.wait(of.stream.everyMs ?? this.#deps.everyMs, signal);
        }
      }),
    );
  }

  /** One round of each stream. */
  async once(signal: AbortSignal): Promise<void> {
    for (const [of, parts] of this.#streams) await this.#round(of, parts, signal);
  }

  /** Begins the next round of each stream now. */
  nudge(): void {
    for (const { bell } of this.#streams.values()) bell.ring();
  }

  async #round({ stream }: LaneStream, { look, handOver, answers }: Parts, signal: AbortSignal): Promise<void> {
    const { store, logger, clock } = this.#deps;
    let error: ErrorFacts | undefined;
    const part = async (work: () => Promise<void>) => {
      try {
        if (!signal.aborted) await work();
      } catch (thrown) {
        if (thrown instanceof StopError) throw thrown;
        if (!signal.aborted) error ??= errorFacts(thrown);
      }
    };
    let mark: ReturnMark | undefined;
    await part(async () => {
      mark = await this.#mark(stream);
      await look.run(mark, signal);
    });
    await part(() => handOver.run(signal));
    await part(() => answers.run(signal));
    await part(() => handOver.follow(signal));
    if (signal.aborted) return;
    try {
      const before = mark?.error;
      if (error !== undefined) {
        logger.warn({ stream: stream.name, err: error }, "stream of returns does not work now");
        await store.returns.saveMark(stream.name, { error: { ...error, at: before?.at ?? clock.now() } });
      } else if (before !== undefined) {
        await store.returns.saveMark(stream.name, { error: undefined });
        logger.info({ stream: stream.name }, "stream of returns works again");
      }
    } catch (thrown) {
      if (thrown instanceof StopError) throw thrown;
      logger.warn(
        { stream: stream.name, err: errorFacts(thrown) },
        "state of a stream of returns was not written down",
      );
    }
  }

  /** The stream's mark; makes one at the first round. An earlier `begin` in the sync file is followed by a look at everything. */
  async #mark({ name, beginAt }: LaneStream["stream"]): Promise<ReturnMark> {
    const { returns } = this.#deps.store;
    const known = await returns.mark(name);
    const wanted = beginAt ?? known?.beginAt ?? this.#deps.serviceNow();
    if (known !== undefined && known.beginAt === wanted) return known;
    await returns.saveMark(name, { beginAt: wanted, lookedAt: undefined });
    const { lookedAt: _again, ...rest } = known ?? {};
    return { ...rest, beginAt: wanted };
  }
}

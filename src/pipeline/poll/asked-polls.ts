import { errorFacts, untilNext, type StreamName } from "#model";
import type { NoteStore, RevisionStore } from "#store";
import type { Logger } from "#telemetry";
import type { StreamHolds } from "../holds/stream-holds.ts";
import { StoreNews } from "../store-news.ts";
import { pollNote } from "../notes.ts";
import type { Nudges } from "./nudges.ts";

/** How often requests are read. A command in another process takes effect within this time. */
const LOOK_MS = 1_000;

export interface AskedPollsDeps {
  readonly store: NoteStore & RevisionStore;
  readonly nudges: Pick<Nudges, "nudge">;
  readonly holds: Pick<StreamHolds, "mayPoll">;
  readonly logger: Logger;
}

/** Nudges the streams for which a person requested a poll. While a stream's polls are paused, its request waits. */
export class AskedPolls {
  readonly #deps: AskedPollsDeps;
  readonly #streams: readonly StreamName[];
  readonly #news: StoreNews;

  constructor(deps: AskedPollsDeps, streams: readonly StreamName[]) {
    this.#deps = deps;
    this.#streams = streams;
    this.#news = new StoreNews(deps.store);
  }

  /** Reads the requests now. Never throws: after an error the next look reads them. */
  async look(): Promise<void> {
    const { holds, logger } = this.#deps;
    try {
      const streams = this.#streams.filter((stream) => holds.mayPoll(stream));
      await Promise.all(streams.map((stream) => this.#obey(stream)));
      if (streams.length < this.#streams.length) this.#news.lookAgain();
    } catch (thrown) {
      this.#news.lookAgain();
      logger.debug({ err: errorFacts(thrown) }, "requests for polls were not read");
    }
  }

  /** Reads requests until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (await this.#news.any()) await this.look();
      await untilNext(LOOK_MS, signal);
    }
  }

  async #obey(stream: StreamName): Promise<void> {
    const { store, nudges } = this.#deps;
    const note = pollNote(stream);
    if ((await store.note(note)) !== true) return;
    // Before the nudge, so that a request that arrives from now on gets its own poll.
    await store.saveNote(note, undefined);
    nudges.nudge(stream);
  }
}

import type { StreamName } from "#model";
import { SILENCE_SPAN_MS, silentStreams, type NoticeFacts } from "#notify";
import type { HistoryStore } from "#store";

/** How often the history is read: it is kept by the hour. */
const EVERY_MS = 10 * 60_000;
/** A limit of days needs a history that is longer. */
const FACTOR = 2;

/** The streams without a change for longer than expected, by the history of runs. */
export class Silence {
  readonly #store: Pick<HistoryStore, "history">;
  readonly #streams: readonly StreamName[];
  readonly #limit: "auto" | "none" | number;
  #known: { readonly at: number; readonly silent: NoticeFacts["silent"] } | undefined;

  constructor(store: Pick<HistoryStore, "history">, streams: readonly StreamName[], limit: "auto" | "none" | number) {
    this.#store = store;
    this.#streams = streams;
    this.#limit = limit;
  }

  async of(now: number): Promise<NoticeFacts["silent"]> {
    const limit = this.#limit;
    if (limit === "none") return [];
    if (this.#known !== undefined && Math.abs(now - this.#known.at) < EVERY_MS) return this.#known.silent;
    const spanMs = limit === "auto" ? SILENCE_SPAN_MS : FACTOR * Math.max(limit, SILENCE_SPAN_MS);
    const hours = await this.#store.history({ since: now - spanMs });
    this.#known = { at: now, silent: silentStreams(hours, this.#streams, limit, now) };
    return this.#known.silent;
  }
}

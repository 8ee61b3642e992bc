import { MINUTE_MS } from "#model";

/** What became final this long ago must have been shown: lists may lag behind for a moment. */
const SETTLED_MS = MINUTE_MS;

interface Missed {
  readonly subject: string;
  readonly at: number;
}

/** Compares what the filter `approvedSince` (or `finishedSince`) shows with what the list of all changes shows, as long as the filter is used. */
export class FilterWatch {
  readonly #missed: (missed: Missed) => void;
  /** Subjects that the filter showed, and when. */
  readonly #shown = new Map<string, number>();
  /** What became final after this moment, and before the last look, must have been shown. */
  #since: number | undefined;
  #lookedAt = 0;

  constructor(missed: (missed: Missed) => void) {
    this.#missed = missed;
  }

  shown(subjects: Iterable<string>, at: number): void {
    this.#since ??= at;
    this.#lookedAt = at;
    for (const subject of subjects) this.#shown.set(subject, at);
  }

  /** `finals`: what became final among all changes, with its moment. */
  compare(finals: ReadonlyMap<string, number>): void {
    if (this.#since === undefined) return;
    const until = this.#lookedAt - SETTLED_MS;
    for (const [subject, at] of finals)
      if (at > this.#since && at <= until && !this.#shown.has(subject)) return this.#missed({ subject, at });
    this.#since = Math.max(this.#since, until);
    for (const [subject, at] of this.#shown) if (at <= this.#since) this.#shown.delete(subject);
  }
}

import { MINUTE_MS } from "#model";

/** An approval this long ago must have been shown: lists may lag behind for a moment. */
const SETTLED_MS = MINUTE_MS;

/** Compares what the filter `approvedSince` shows with what the list of all changes shows, as long as the filter is used. */
export class FilterWatch {
  readonly #missed: (found: string) => void;
  /** Subjects that the filter showed, and when. */
  readonly #shown = new Map<string, number>();
  /** Approvals after this moment, and before the last look, must have been shown. */
  #since: number | undefined;
  #lookedAt = 0;

  constructor(missed: (found: string) => void) {
    this.#missed = missed;
  }

  shown(subjects: Iterable<string>, at: number): void {
    this.#since ??= at;
    this.#lookedAt = at;
    for (const subject of subjects) this.#shown.set(subject, at);
  }

  /** `approvals`: all approvals among the changes, with their moments. */
  compare(approvals: ReadonlyMap<string, number>): void {
    if (this.#since === undefined) return;
    const until = this.#lookedAt - SETTLED_MS;
    for (const [subject, at] of approvals)
      if (at > this.#since && at <= until && !this.#shown.has(subject))
        return this.#missed(`it left out ${subject}, which was approved at ${new Date(at).toISOString()}`);
    this.#since = Math.max(this.#since, until);
    for (const [subject, at] of this.#shown) if (at <= this.#since) this.#shown.delete(subject);
  }
}

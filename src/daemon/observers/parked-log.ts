import type { RecordId } from "#model";
import { ErrorGroups, recordRemedy, type ErrorGroup } from "#operator";
import type { Delivery, Observer } from "#pipeline";
import type { Logger } from "#telemetry";

/** How long records are collected before their causes are logged: a first load may park hundreds for a few causes. */
const GATHER_MS = 10_000;
/** How soon a growing cause is logged again. */
const REPEAT_MS = 10 * 60_000;
/** Most lines per flush: if a refusal repeats a value, each record has its own cause. */
const LINES_MAX = 100;
/** Most causes to remember. */
const CAUSES_MAX = 1_000;

interface Told {
  readonly atMs: number;
  readonly total: number;
}

export interface ParkedLogOptions {
  readonly logger: Logger;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed?: () => number;
}

/** Logs one line per cause for which records need a person, with their number; again when the number has grown. */
export class ParkedLog implements Observer, Disposable {
  readonly #logger: Logger;
  readonly #elapsed: () => number;
  #groups = new ErrorGroups();
  readonly #told = new Map<string, Told>();
  readonly #timer: NodeJS.Timeout;

  constructor({ logger, elapsed = () => performance.now() }: ParkedLogOptions) {
    this.#logger = logger;
    this.#elapsed = elapsed;
    this.#timer = setInterval(() => this.flush(), GATHER_MS);
    this.#timer.unref();
  }

  delivered(id: RecordId, delivery: Delivery): void {
    if (delivery.kind === "parked" || delivery.kind === "uncertain")
      this.#groups.add({ id, state: delivery.kind, error: delivery.error });
  }

  /**
   * Logs causes that are new, or have grown and were not logged for a while; with `isLast`, all that have grown. After 100 lines, only
   * counts them.
   */
  flush(isLast = false): void {
    let lines = 0;
    const more = { causes: 0, count: 0 };
    for (const group of this.#groups.list()) {
      const { stream, state, code, field, message, count, examples, error } = group;
      const name = nameOf(group);
      const told = this.#told.get(name);
      const isDue = told === undefined || isLast || this.#elapsed() - told.atMs >= REPEAT_MS;
      if (count === told?.total || !isDue) continue;
      this.#told.set(name, { atMs: this.#elapsed(), total: count });
      lines += 1;
      if (lines > LINES_MAX) {
        more.causes += 1;
        more.count += count - (told?.total ?? 0);
        continue;
      }
      const example = examples[0]!;
      const facts = { stream, state, code, field, count: count - (told?.total ?? 0), total: count, key: example.key };
      const cause = count === 1 ? error?.message : message;
      this.#logger.error({ ...facts, cause, remedy: recordRemedy({ id: example, error }) }, "records need a person");
    }
    if (more.causes > 0) {
      const remedy = '"svcsync groups" lists all causes.';
      this.#logger.error({ ...more, remedy }, "records need a person for more causes");
    }
    if (this.#told.size <= CAUSES_MAX) return;
    this.#told.clear();
    this.#groups = new ErrorGroups();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.flush(true);
  }
}

function nameOf({ stream, state, code, field, message }: ErrorGroup): string {
  return JSON.stringify([stream, state, code, field, message]);
}

import type { RecordId } from "#model";
import { ErrorGroups, recordRemedy, type ErrorGroup } from "#operator";
import type { Delivery, Observer } from "#pipeline";
import type { Logger } from "#telemetry";

/** How long records are gathered before their causes are logged: a first load parks hundreds for a few. */
const GATHER_MS = 10_000;
/** A cause that keeps growing is logged again after this long. */
const REPEAT_MS = 10 * 60_000;
/** Lines at once: a refusal that repeats a value is as many causes as there are records. */
const LINES_MAX = 100;
/** Causes that are remembered. */
const CAUSES_MAX = 1_000;

interface Told {
  readonly atMs: number;
  readonly total: number;
}

export interface ParkedLogOptions {
  readonly logger: Logger;
  /** Milliseconds by a monotonic clock. */
  readonly elapsed?: () => number;
}

/** One line of the log per cause for which records need a person, with how many; again when it grew. */
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

  /** Logs each cause that is new, or that grew and was not logged for a while; `isLast` all that grew. Beyond a hundred it counts them. */
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

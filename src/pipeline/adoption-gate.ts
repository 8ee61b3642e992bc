import { errorFacts, StopError, WaitError, type ErrorFacts, type StreamName } from "#model";
import type { Stream } from "#mapping";
import type { Service } from "#service";
import type { Store } from "#store";
import type { Logger } from "#telemetry";
import { Bell } from "./bell.ts";
import type { Matcher } from "./matcher.ts";

/** How often a held stream looks whether somebody has decided. */
const LOOK_AGAIN_MS = 5_000;

export interface AdoptionGateParts {
  readonly store: Store;
  readonly service: Pick<Service, "list">;
  readonly matcher: Matcher;
  readonly logger: Logger;
  /** A stream was let through. */
  readonly opened: () => void;
  readonly stop: (error: StopError) => void;
}

/**
 * Holds back the first deliveries of a stream until it is clear what the service already holds. An empty resource (or one
 * whose records are all bound already) opens by itself; a resource with records of unknown origin waits for
 * `svcsync adopt`, so that nothing is created beside what exists.
 */
export class AdoptionGate {
  readonly #parts: AdoptionGateParts;
  readonly #undecided: Map<StreamName, Stream>;
  readonly #open = new Set<StreamName>();
  readonly #held = new Map<StreamName, ErrorFacts>();
  readonly #bell = new Bell();

  constructor(parts: AdoptionGateParts, streams: readonly Stream[]) {
    this.#parts = parts;
    this.#undecided = new Map(streams.map((stream) => [stream.name, stream]));
  }

  /** The streams that may deliver. */
  open(): StreamName[] {
    return [...this.#open];
  }

  /** The streams that may not deliver yet: a person must decide, or the service could not be asked. */
  held(): ReadonlyMap<StreamName, ErrorFacts> {
    return this.#held;
  }

  /** True once every stream was looked at: it is open, or {@link held} says why not. */
  get isSettled(): boolean {
    return [...this.#undecided.keys()].every((name) => this.#held.has(name));
  }

  /** Looks at the undecided streams until all are open or the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#undecided.size > 0) {
      for (const stream of this.#undecided.values()) {
        await this.#look(stream, signal);
        if (signal.aborted) return;
      }
      if (this.#undecided.size > 0) await this.#bell.wait(LOOK_AGAIN_MS, signal);
    }
  }

  async #look(stream: Stream, signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#parts;
    try {
      if (await store.adoption(stream.name)) return await this.#letThrough(stream);
      if (this.#held.get(stream.name)?.code === "E_ADOPTION_NEEDED") return;
      const foreign = await this.#foreignRecords(stream, signal);
      if (foreign === 0) {
        await store.decideAdoption(stream.name, "empty");
        return await this.#letThrough(stream);
      }
      const hold = holdFor(stream, foreign);
      const error = new WaitError("E_ADOPTION_NEEDED", `${hold.reason}; ${hold.remedy}`, {
        details: { count: foreign },
      });
      // The note first: who hears that all streams were looked at may ask why this one is held.
      await store.saveNote(heldNote(stream.name), hold);
      this.#held.set(stream.name, errorFacts(error));
      logger.error({ stream: stream.name, resource: stream.resource, count: foreign, err: error }, "stream was held");
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof StopError) return this.#parts.stop(thrown);
      const known = this.#held.get(stream.name);
      const error = errorFacts(thrown);
      this.#held.set(stream.name, error);
      if (known?.code !== error.code)
        logger.warn({ stream: stream.name, err: error }, "stream could not be opened yet");
    }
  }

  async #letThrough(stream: Stream): Promise<void> {
    if (await this.#parts.store.note(heldNote(stream.name)))
      await this.#parts.store.saveNote(heldNote(stream.name), null);
    this.#undecided.delete(stream.name);
    this.#held.delete(stream.name);
    this.#open.add(stream.name);
    this.#parts.opened();
  }

  /** Records of the resource that no stream has bound. */
  async #foreignRecords(stream: Stream, signal: AbortSignal): Promise<number> {
    const { store, service, matcher } = this.#parts;
    if (stream.match.length > 0) await matcher.freshen(stream.resource, LOOK_AGAIN_MS, signal);
    let foreign = 0;
    if (stream.match.length > 0 && (await store.matchIndex(stream.resource))?.isEmpty) return 0;
    for await (const page of service.list(stream.resource, { fields: ["id"] }, signal))
      for (const { id } of page)
        if (typeof id === "number" && !(await store.boundTo({ resource: stream.resource, serviceId: id })))
          foreign += 1;
    return foreign;
  }
}

function holdFor({ name, resource, match }: Stream, count: number): { reason: string; remedy: string } {
  const reason = `${resource} already holds ${count} records that svcsync does not know`;
  const remedy =
    match.length > 0
      ? `"svcsync adopt ${name}" shows which of them are the ERP's, "--confirm" adopts those and creates the others`
      : `the stream has no match rule: add one, or, if none of them is the ERP's, "svcsync adopt ${name} --create-all"`;
  return { reason, remedy };
}

/** The note that says why a stream is held, as `{ reason, remedy }`; null once it is open. */
export function heldNote(stream: StreamName): string {
  return `held/${stream}`;
}

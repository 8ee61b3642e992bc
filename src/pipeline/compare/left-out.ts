import { errorFacts, ParkError, sleep, WaitError } from "#model";
import type { Stream } from "#mapping";
import type { Service } from "#service";
import { eachRecord, type MatchStore, type NoteStore, type RecordStore, type RecordView, type Store } from "#store";
import type { Logger } from "#telemetry";
import { Resolver } from "../wanted/resolver.ts";
import { lookUp } from "../match/candidates.ts";
import type { Matcher } from "../match/matcher.ts";
import { indexNote } from "../notes.ts";
import { ABSENT } from "../match/absent.ts";

/**
 * How soon a record is delivered that the service has by now. Each look asks what changed in the resource. If nothing did, most looks leave the
 * records alone.
 */
const EVERY_MS = 15 * 60_000;
/**
 * How many looks in a row may leave the records out because nothing seems to have changed in the resource: changes may cancel each other out
 * there. The next one looks at the records in any case, about every hour.
 */
const SKIPS = 3;

/** Whether the record is left out because its stream creates none and the service did not have it. */
function isAbsent({ state, error }: RecordView): boolean {
  return state === "skipped" && error?.code === ABSENT;
}

export interface LeftOutRecordsDeps {
  readonly store: RecordStore & MatchStore & NoteStore & Pick<Store, "retryNow">;
  readonly matcher: Pick<Matcher, "refresh">;
  readonly service: Pick<Service, "lookup">;
  readonly logger: Logger;
  readonly everyMs?: number | undefined;
}

/** Records of streams that create none. Once the match index shows one, its record is delivered again. */
export class LeftOutRecords {
  readonly #deps: LeftOutRecordsDeps;
  readonly #streams: readonly Stream[];
  readonly #resolver: Resolver;
  /** What the service showed at each stream's last complete look, and how many looks have left the records out since. */
  readonly #seen = new Map<string, { readonly shown: string; skips: number }>();

  constructor(deps: LeftOutRecordsDeps, streams: readonly Stream[]) {
    this.#deps = deps;
    this.#streams = streams.filter(({ create }) => create === "never");
    this.#resolver = new Resolver(deps.store, deps.service);
  }

  /** Looks at intervals, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#streams.length > 0) {
      await sleep(this.#deps.everyMs ?? EVERY_MS, signal);
      for (const { name } of this.#streams) if (!signal.aborted) await this.look(name, signal);
    }
  }

  /** Makes the stream's records due that the service has by now. Never throws: a later look finds them, too. */
  async look(name: string, signal: AbortSignal): Promise<void> {
    const { logger } = this.#deps;
    const stream = this.#streams.find((each) => each.name === name);
    if (!stream) return;
    try {
      const count = await this.#wake(stream, signal);
      if (count > 0) logger.info({ stream: name, count }, "left out records were found in the service");
    } catch (thrown) {
      if (!signal.aborted)
        logger.debug({ stream: name, err: errorFacts(thrown) }, "left out records were not looked for");
    }
  }

  async #wake(stream: Stream, signal: AbortSignal): Promise<number> {
    const { store, matcher } = this.#deps;
    const { name, resource } = stream;
    if (!(await store.counts(["skipped"])).get(name)?.skipped) return 0;
    await matcher.refresh(stream, signal);
    const unbound = await store.unboundMatches(resource);
    const index = await store.note(indexNote(resource));
    if (unbound === 0) return 0;
    const shown = `${unbound} ${index?.newest} ${index?.rules}`;
    const seen = this.#seen.get(name);
    if (seen?.shown === shown && seen.skips < SKIPS) {
      seen.skips += 1;
      return 0;
    }
    let count = 0;
    for await (const view of eachRecord(store, { stream: name, states: ["skipped"], unbound: true })) {
      signal.throwIfAborted();
      if (isAbsent(view) && (await this.#isShown(stream, view, signal)))
        count += await store.retryNow({ ...view.id, states: ["skipped"] });
    }
    this.#seen.set(name, { shown, skips: 0 });
    return count;
  }

  /** Whether the match index has a record that is free and has the natural key. */
  async #isShown(stream: Stream, { id, row }: RecordView, signal: AbortSignal): Promise<boolean> {
    try {
      const { projection } = await this.#resolver.resolve(id, await stream.identify(row), signal);
      return (await lookUp(this.#deps.store, stream.resource, stream.match, projection, id)).free.length > 0;
    } catch (thrown) {
      if (thrown instanceof ParkError || thrown instanceof WaitError) return false;
      throw thrown;
    }
  }
}

import { DAY_MS, errorFacts, sleep, type Clock, type RecordId, type ServiceId } from "#model";
import type { Stream } from "#mapping";
import { lostCreatesNote, type LostCreate, type MatchStore, type NoteStore, type RecordStore } from "#store";
import type { Logger } from "#telemetry";
import { twinsNote, type Twin } from "../notes.ts";
import { lookUp } from "../match/candidates.ts";
import type { Matcher } from "../match/matcher.ts";
import { isSeparate, mergeOf } from "../counterpart/merges.ts";
import type { Presence } from "../counterpart/presence.ts";

/** How long after the loss of a daemon its creates may still arrive: no process is paused for longer. */
const WATCH_MS = DAY_MS;
const EVERY_MS = 60_000;

export interface DuplicateWatchDeps {
  readonly store: MatchStore & RecordStore & NoteStore;
  readonly matcher: Pick<Matcher, "refresh">;
  readonly presence: Pick<Presence, "read">;
  readonly streams: readonly Stream[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long after a write the service's lists may not show it yet, in milliseconds. */
  readonly settleMs: number;
  readonly everyMs?: number | undefined;
}

/**
 * Looks for duplicates in the service. A create that a lost daemon had begun may be carried out late, long after another daemon has
 * created the record.
 */
export class DuplicateWatch {
  readonly #deps: DuplicateWatchDeps;

  constructor(deps: DuplicateWatchDeps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { everyMs = EVERY_MS, logger } = this.#deps;
    while (!signal.aborted) {
      await this.look(signal).catch((thrown: unknown) => {
        if (!signal.aborted) logger.debug({ err: errorFacts(thrown) }, "second records were not looked for");
      });
      await sleep(everyMs, signal);
    }
  }

  /** Compares the creates of lost daemons with the records that the service shows. */
  async look(signal: AbortSignal): Promise<void> {
    const lost = await this.#watched();
    for (const stream of this.#deps.streams) {
      const creates = lost.filter(({ stream: name }) => name === stream.name);
      const known = (await this.#deps.store.note(twinsNote(stream.name))) ?? [];
      if (creates.length > 0) await this.#refresh(stream, creates, signal);
      if (creates.length + known.length > 0) await this.#compare(stream, [...creates, ...known], known, signal);
    }
  }

  async #watched(): Promise<readonly LostCreate[]> {
    const { store, clock } = this.#deps;
    const lost = (await store.note(lostCreatesNote)) ?? [];
    const watched = lost.filter(({ lostAt }) => clock.now() - lostAt < WATCH_MS);
    if (watched.length < lost.length)
      await store.replaceNote(lostCreatesNote, lost, watched.length === 0 ? undefined : watched);
    return watched;
  }

  /** Reads the index once more when the lists must show a late create. Any later read of the index serves as well. */
  async #refresh(stream: Stream, creates: readonly LostCreate[], signal: AbortSignal): Promise<void> {
    const { store, clock, matcher, settleMs } = this.#deps;
    const readAt = (await store.matchIndex(stream.resource))?.readAt ?? 0;
    const isUnseen = ({ lostAt }: LostCreate) => readAt < lostAt + settleMs && clock.now() >= lostAt + settleMs;
    if (creates.some(isUnseen)) await matcher.refresh(stream, signal);
  }

  async #compare(stream: Stream, ids: readonly RecordId[], known: readonly Twin[], signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#deps;
    const twins: Twin[] = [];
    for (const key of new Set(ids.map((id) => id.key))) twins.push(...(await this.#twinsOf(stream, key, signal)));
    const fresh = twins.filter(({ twin }) => known.every((other) => other.twin !== twin));
    for (const twin of fresh) logger.warn({ ...twin }, "record may be twice in the service");
    if (fresh.length > 0 || twins.length !== known.length)
      await store.saveNote(twinsNote(stream.name), twins.length === 0 ? undefined : twins);
  }

  /** Returns unbound records with the natural key of this one. A key that records may share proves nothing. */
  async #twinsOf(stream: Stream, key: string, signal: AbortSignal): Promise<Twin[]> {
    const { store, presence } = this.#deps;
    const id = { stream: stream.name, key };
    const { binding, applied } = (await store.record(id)) ?? {};
    if (!binding || !applied) return [];
    const { resource, serviceId } = binding;
    const { free, rule } = await lookUp(store, resource, stream.match, applied, id);
    const others: ServiceId[] = rule?.shared ? [] : free.filter((other) => other !== serviceId);
    // What carries on its key is no duplicate of a record that was merged into it.
    if (others.length > 0 && (await mergeOf(presence, binding, signal)) !== undefined) return [];
    const there: Twin[] = [];
    for (const twin of others)
      if (await isSeparate(presence, { resource, serviceId: twin }, signal))
        there.push({ ...id, resource, serviceId, twin });
    return there;
  }
}

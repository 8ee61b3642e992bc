import { localTime, ParkError, type Actor, type Clock, type StreamName } from "#model";
import type { ActStore } from "#store";

/** A stream that is to rest for longer is taken out of the sync file; a snooze that is longer hides what should be repaired. */
export const LONGEST_REST_MS = 92 * 86_400_000;

export interface PauseInput {
  readonly streams: readonly StreamName[];
  /** It ends at this moment without a person. */
  readonly until: number;
  /** Whether the streams are not polled either. */
  readonly polls: boolean;
}

/**
 * Pauses streams: a running daemon delivers nothing of them within a second, and continues at `until`.
 * @throws {ParkError} E_PAUSE_TIME for no moment, one in the past, or one more than 92 days away.
 */
export async function pause(
  { store, clock }: { readonly store: { readonly acts: ActStore }; readonly clock: Clock },
  { streams, until, polls }: PauseInput,
  by: Actor,
): Promise<void> {
  const since = clock.now();
  if (Number.isNaN(until))
    throw new ParkError(
      "E_PAUSE_TIME",
      "the pause has no end: expected a number of hours or a time. Nothing was paused",
    );
  const wrong = until <= since ? "in the past" : until - since > LONGEST_REST_MS ? "more than 92 days away" : undefined;
  if (wrong !== undefined)
    throw new ParkError(
      "E_PAUSE_TIME",
      `the pause would end ${localTime(until)}, which is ${wrong}: expected a time between now (${localTime(since)}) and 92 days later. Nothing was paused`,
    );
  await store.acts.pause(streams, { since, until, polls, by });
}

/** Ends the pauses of these streams; returns those that were paused. */
export async function resume(
  { store, clock }: { readonly store: { readonly acts: ActStore }; readonly clock: Clock },
  streams: readonly StreamName[],
  by: Actor,
): Promise<StreamName[]> {
  return store.acts.resume(streams, clock.now(), by);
}

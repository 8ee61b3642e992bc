import { DAY_MS, localTime, ParkError, type Actor, type StreamName } from "#model";
import type { Pause, Store } from "#store";

/** A stream that is to rest for longer is taken out of the sync file; a snooze that is longer hides what should be repaired. */
const LONGEST_REST_MS = 92 * DAY_MS;

export interface PauseInput {
  readonly streams: readonly StreamName[];
  /** It ends at this moment without a person. */
  readonly until: number;
  /** Whether the streams are not polled either. */
  readonly polls: boolean;
}

/** A pause of a stream as it holds now. */
export interface StreamPause extends Pause {
  readonly stream: StreamName;
}

/**
 * Pauses streams: a running daemon delivers nothing of them within a second, and continues at `until`. A pause never shortens one that
 * another person gave: the later end counts, and polls that were stopped stay so; {@link resume} ends both.
 * @throws {ParkError} E_PAUSE_TIME for no moment, one in the past, or one more than 92 days away.
 */
export async function pause(
  { store }: { readonly store: Pick<Store, "acts" | "clock"> },
  { streams, until, polls }: PauseInput,
  by: Actor,
): Promise<StreamPause[]> {
  const since = store.clock.now();
  expectRest({ what: "pause", until, now: since });
  const paused: StreamPause[] = [];
  for (const stream of streams) {
    const last = await store.acts.pauseOf(stream);
    const known = last !== undefined && last.until > since ? last : undefined;
    const wanted = {
      since,
      until: Math.max(until, known?.until ?? until),
      polls: polls || known?.polls === true,
      by,
    };
    const isKept = known?.until === wanted.until && known.polls === wanted.polls;
    if (!isKept) await store.acts.pause([stream], wanted);
    paused.push({ stream, ...(isKept ? known : wanted) });
  }
  return paused;
}

/**
 * @param until NaN where no end was given.
 * @throws {ParkError} E_PAUSE_TIME where it is no moment within the next 92 days.
 */
export function expectRest({ what, until, now }: { what: "pause" | "snooze"; until: number; now: number }): void {
  const undone = `Nothing was ${what}d`;
  if (Number.isNaN(until))
    throw new ParkError("E_PAUSE_TIME", `the ${what} has no end: expected a number of hours or a time. ${undone}`);
  const wrong = until <= now ? "in the past" : until - now > LONGEST_REST_MS ? "more than 92 days away" : undefined;
  if (wrong !== undefined)
    throw new ParkError(
      "E_PAUSE_TIME",
      `the ${what} would end ${localTime(until)}, which is ${wrong}: expected a time between now (${localTime(now)}) and 92 days later. ${undone}`,
    );
}

/** Ends the pauses of these streams; returns those that were paused. */
export async function resume(
  { store }: { readonly store: Pick<Store, "acts" | "clock"> },
  streams: readonly StreamName[],
  by: Actor,
): Promise<StreamName[]> {
  return store.acts.resume(streams, store.clock.now(), by);
}

import { DAY_MS, HOUR_MS, localTime, ParkError, type Actor, type StreamName } from "#model";
import type { Pause, Store } from "#store";
import { z } from "zod";
import { roughDuration } from "../text/figures.ts";
import { defineAct } from "./act.ts";
import { numberInput, yes } from "./inputs.ts";

interface PauseOptions {
  /** The instant at which the pause ends. */
  readonly until?: number;
  /** Milliseconds from now. */
  readonly for?: number;
  readonly polls?: boolean;
}

export const pauseAct = defineAct({
  name: "pause",
  target: "stream",
  help: "Pause deliveries of these streams until a given time; they then resume automatically",
  input: { hours: numberInput(z.number("a number of hours")), polls: yes.default(false) },
  inputHelp: "`hours`, and `polls: true` to stop polling too; an earlier pause that lasts longer stays",
  audit: "pause",
  wakes: "holds",
  run: (systems, { target, input: { hours, polls } }, by) =>
    pause(systems, { streams: [target], until: systems.store.clock.now() + hours * HOUR_MS, polls }, by),
  forms: ({ name, holds }) =>
    holds.some(({ kind }) => kind === "pause")
      ? []
      : [
          {
            label: `Pause ${name}`,
            means: "Nothing is delivered until then. Polls continue, and nothing is lost.",
            fields: [
              {
                kind: "choice",
                name: "hours",
                label: "For",
                values: { 1: "1 hour", 4: "4 hours", 24: "1 day", 168: "1 week" },
              },
              { kind: "tick", name: "polls", label: "Stop polling too" },
            ],
          },
        ],
  command: {
    arguments: { "<streams...>": "the streams" },
    options: [
      { flags: "--until <time>", help: "when it ends, for example 18:00 or 2026-11-22 18:00", takes: "moment" },
      { flags: "--for <duration>", help: "how long it lasts, for example 30m, 2h or 1d", takes: "duration" },
      { flags: "--polls", help: "also stop polling the ERP for them" },
    ],
    objection: (options: PauseOptions) =>
      (options.until === undefined) === (options.for === undefined)
        ? "Set the end of the pause: --until 18:00, or --for 2h."
        : undefined,
    async run(systems, [streams]: [readonly StreamName[]], options: PauseOptions, { by }) {
      const { until: moment, for: lastsMs = 0, polls = false } = options;
      const now = systems.store.clock.now();
      const until = moment ?? now + lastsMs;
      const paused = await pause(systems, { streams, until, polls }, by);
      const endsAt = Math.min(...paused.map((each) => each.until));
      const text = `${pausedText(paused, until, polls, now)}"svcsync resume ${streams.join(" ")}" ends it earlier.\n`;
      return { json: { paused: streams, endsAt, polls: paused.every((each) => each.polls) }, text };
    },
  },
});

function pausedText(paused: readonly StreamPause[], until: number, polls: boolean, now: number): string {
  const lasts = (end: number) => `until ${localTime(end)}, in ${roughDuration(end - now)}`;
  const isAsMeant = (each: StreamPause) => each.until === until && each.polls === polls;
  const names = paused.filter(isAsMeant).map(({ stream }) => stream);
  const lines = paused
    .filter((each) => !isAsMeant(each))
    .map((each) => {
      const what = each.polls ? "is paused and not polled" : "is paused";
      return `${each.stream} ${what} ${lasts(each.until)}: an earlier pause counts too.\n`;
    });
  if (names.length > 0)
    lines.unshift(
      `Paused ${names.join(", ")} ${lasts(until)}; ${polls ? "they are not polled either" : "they are still polled"}.\n`,
    );
  return lines.join("");
}

/** A stream that is paused for longer should leave the sync file; a longer snooze hides what should be repaired. */
const LONGEST_REST_MS = 92 * DAY_MS;

interface PauseInput {
  readonly streams: readonly StreamName[];
  /** When it ends automatically. */
  readonly until: number;
  /** Whether polls are paused too. */
  readonly polls: boolean;
}

/** A pause that is in effect for a stream. */
interface StreamPause extends Pause {
  readonly stream: StreamName;
}

/**
 * Pauses streams: a running daemon stops delivering them within a second, and resumes at `until`. It never shortens
 * another person's pause: the later end counts, and stopped polls stay stopped; {@link resume} ends both.
 * @throws {ParkError} E_PAUSE_TIME for no moment, one in the past, or one more than 92 days away.
 */
export async function pause(
  { store }: { readonly store: Pick<Store, "acts" | "clock"> },
  { streams, until, polls }: PauseInput,
  by: Actor,
): Promise<StreamPause[]> {
  const since = store.clock.now();
  expectLaterEnd({ what: "pause", until, now: since });
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
 * Checks the end of a pause or snooze.
 * @param until NaN where no end was given.
 * @throws {ParkError} E_PAUSE_TIME where it is not a moment within the next 92 days.
 */
export function expectLaterEnd({ what, until, now }: { what: "pause" | "snooze"; until: number; now: number }): void {
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

import { DAY_MS, type Clock } from "#model";
import { attentionStates } from "#operator";
import type { StreamStatus } from "#pipeline";
import type { App } from "#server";
import { redacted } from "#telemetry";
import type { StatusSource } from "../contract.ts";
import { doneNote } from "../pages/status/done-note.ts";
import { shownGroups, type ShownGroups } from "../pages/status/group-cards.ts";
import { sparklineSince } from "../pages/status/sparkline.ts";
import { problemsOf, statusPage } from "../pages/status/status-page.ts";
import { jsonAnswer, type PageDeps } from "../route-deps.ts";

/** Acts of the last week that the page shows. */
const actsShown = 8;
const actsShownMs = 7 * DAY_MS;
const causesFreshMs = 5_000;

/** The first page, and the same for scripts. */
export function addStatus(app: App, { status, redact, clock, version, frameOf }: PageDeps): void {
  const causes = causesOf(status, clock);
  app.get("/", async (c) => {
    const overview = await status.overview();
    const now = clock.now();
    const history = await status.history({ since: sparklineSince(now) });
    const { shown: first, more: moreHeld } = await causes(overview.streams);
    const notes = await status.groupNotes();
    const held = first.map((group) => ({ ...group, noted: notes.get(group.id) }));
    const acts = await status.recentActs({ since: now - actsShownMs, limit: actsShown });
    const shown = redacted({ overview, held, history, acts }, redact);
    const done = doneNote(c.req.query(), status.streams);
    return c.html(statusPage({ ...shown, done, moreHeld, channels: status.channels, frame: frameOf(c), now }));
  });
  app.get("/api/groups", async (c) => jsonAnswer(c, { groups: redacted(await status.groups(), redact) }));
  app.get("/api/status", async (c) => {
    const overview = redacted(await status.overview(), redact);
    return jsonAnswer(c, { version, at: clock.now(), problems: problemsOf(overview, clock.now()), ...overview });
  });
}

/**
 * The first groups of `svcsync groups`, with names. Reading them means reading every record that needs attention, so pages share one
 * reading: concurrent requests, and those of the next few seconds unless a count changed.
 */
function causesOf(
  status: Pick<StatusSource, "groups" | "names">,
  clock: Clock,
): (streams: readonly StreamStatus[]) => Promise<ShownGroups> {
  interface Reading {
    readonly counts: string;
    readonly read: Promise<ShownGroups>;
    /** Undefined while it runs. */
    endedAt?: number;
  }
  let last: Reading | undefined;
  return (streams) => {
    const held = streams.flatMap(({ name, counts }) => attentionStates.map((state) => [name, counts[state] ?? 0]));
    if (held.every(([, count]) => count === 0)) return Promise.resolve({ shown: [], more: 0 });
    const counts = JSON.stringify(held);
    if (last !== undefined && last.endedAt === undefined) return last.read;
    const isFresh = last?.counts === counts && Math.abs(clock.now() - (last.endedAt ?? 0)) < causesFreshMs;
    if (last !== undefined && isFresh) return last.read;
    const reading: Reading = { counts, read: status.groups().then((groups) => shownGroups(groups, status.names)) };
    last = reading;
    reading.read.then(
      () => (reading.endedAt = clock.now()),
      () => (last = undefined),
    );
    return reading.read;
  };
}

import type { StreamName } from "#model";
import { attentionStates, ErrorGroups } from "#operator";
import type { App, Context } from "#server";
import { redacted } from "#telemetry";
import type { Gate } from "../access/gate.ts";
import type { StatusSource } from "../contract.ts";
import { noStream } from "./record-address.ts";
import type { RouteDeps } from "../route-deps.ts";
import { jsonAnswer } from "../json-answer.ts";
import { recordsLookedAt } from "../pages/status/group-cards.ts";
import { sparklineSince } from "../pages/status/sparkline.ts";
import { problemsOf, statusPage } from "../pages/status/status-page.ts";

/** How far back the history goes where nothing is asked for. */
const DAY_MS = 86_400_000;
/** Acts that a script gets, and those that the page shows: of a week. */
const actsMax = 1_000;
const actsShown = 8;
const actsShownMs = 7 * DAY_MS;

/** The first page, and the same for scripts. */
export function addStatus(app: App, { status, redact, clock, version }: RouteDeps, gate: Gate): void {
  app.get("/", async (c) => {
    const overview = await status.overview();
    const asked = overview.streams.flatMap(({ name, counts }) =>
      attentionStates.filter((state) => (counts[state] ?? 0) > 0).map((state) => ({ stream: name, states: [state] })),
    );
    const held = new ErrorGroups();
    for (const each of asked)
      for (const record of await status.records({ ...each, limit: recordsLookedAt })) held.add(record);
    const now = clock.now();
    const history = await status.history({ since: sparklineSince(now) });
    const notes = await status.groupNotes();
    const noted = held.list().map((group) => ({ ...group, noted: notes.get(group.id) }));
    const acts = await status.recentActs({ since: now - actsShownMs, limit: actsShown });
    const shown = redacted({ overview, held: noted, history, acts }, redact);
    return c.html(statusPage({ ...shown, frame: { version, visitor: gate.visitor(c) }, now }));
  });
  app.get("/api/history", async (c) => {
    const span = spanOf(c, status, clock.now());
    if (typeof span === "string") return c.json({ error: span }, 400);
    return jsonAnswer(c, { hours: redacted(await status.history(span), redact) });
  });
  app.get("/api/acts", async (c) => {
    const span = spanOf(c, status, clock.now());
    if (typeof span === "string") return c.json({ error: span }, 400);
    return jsonAnswer(c, { acts: redacted(await status.recentActs({ ...span, limit: actsMax }), redact) });
  });
  app.get("/api/groups", async (c) => jsonAnswer(c, { groups: redacted(await status.groups(), redact) }));
  app.get("/api/status", async (c) => {
    const overview = redacted(await status.overview(), redact);
    return jsonAnswer(c, { version, at: clock.now(), problems: problemsOf(overview, clock.now()), ...overview });
  });
}

/** Which time and stream a script asks about; a text names what is wrong. */
function spanOf(c: Context, { streams }: StatusSource, now: number): { since: number; stream?: StreamName } | string {
  const stream = c.req.query("stream");
  if (stream !== undefined && !streams.includes(stream)) return noStream(stream, { streams });
  const since = Date.parse(c.req.query("since") ?? new Date(now - DAY_MS).toISOString());
  if (Number.isNaN(since)) return "since: expected an instant such as 2026-11-22T00:00:00Z";
  return { since, ...(stream === undefined ? {} : { stream }) };
}

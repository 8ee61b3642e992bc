import { attentionStates, ErrorGroups } from "#operator";
import type { App } from "#server";
import { redacted } from "#telemetry";
import type { Gate } from "../access/gate.ts";
import type { RouteDeps } from "../route-deps.ts";
import { jsonAnswer } from "../json-answer.ts";
import { recordsLookedAt } from "../pages/status/group-cards.ts";
import { sparklineSince } from "../pages/status/sparkline.ts";
import { problemsOf, statusPage } from "../pages/status/status-page.ts";

/** How far back the history goes where nothing is asked for. */
const DAY_MS = 86_400_000;

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
    const shown = redacted({ overview, held: noted, history }, redact);
    return c.html(
      statusPage({
        ...shown,
        frame: { version, visitor: gate.visitor(c) },
        now,
      }),
    );
  });
  app.get("/api/history", async (c) => {
    const stream = c.req.query("stream");
    const since = Date.parse(c.req.query("since") ?? new Date(clock.now() - DAY_MS).toISOString());
    if (Number.isNaN(since)) return c.json({ error: "since: wanted an instant such as 2026-11-22T00:00:00Z" }, 400);
    const hours = await status.history({ since, ...(stream === undefined ? {} : { stream }) });
    return jsonAnswer(c, { hours: redacted(hours, redact) });
  });
  app.get("/api/status", async (c) => {
    const overview = redacted(await status.overview(), redact);
    return jsonAnswer(c, { version, at: clock.now(), problems: problemsOf(overview, clock.now()), ...overview });
  });
}

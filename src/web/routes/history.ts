import { DAY_MS, type StreamName } from "#model";
import type { App, Context } from "#server";
import { redacted } from "#telemetry";
import { historyPage, historySince } from "../pages/status/history-page.ts";
import { jsonAnswer, type PageDeps } from "../route-deps.ts";
import { noStream, ofStream } from "./record-address.ts";

/** Acts returned to a script at most. */
const actsMax = 1_000;

/** What streams and people did. */
export function addHistory(app: App, { status, redact, clock, frameOf }: PageDeps): void {
  const hoursOf = async (span: Span) => redacted(await status.history(span), redact);
  const actsOf = async (span: Span) => redacted(await status.recentActs({ ...span, limit: actsMax }), redact);
  const answer = async (c: Context, read: (span: Span) => Promise<object>, stream = c.req.query("stream")) => {
    if (stream !== undefined && !status.streams.includes(stream))
      return c.json({ error: noStream(stream, status) }, 400);
    const since = Date.parse(c.req.query("since") ?? new Date(clock.now() - DAY_MS).toISOString());
    if (Number.isNaN(since)) return c.json({ error: "since: expected an instant such as 2026-11-22T00:00:00Z" }, 400);
    return jsonAnswer(c, await read({ since, stream }));
  };
  const hours = async (span: Span) => ({ hours: await hoursOf(span) });

  app.get("/api/history", (c) => answer(c, hours));
  app.get("/api/acts", (c) => answer(c, async (span) => ({ acts: await actsOf(span) })));
  ofStream(app, "/api/streams/:stream/history", status, (c, stream) => answer(c, hours, stream));
  ofStream(app, "/streams/:stream/history", status, async (c, stream) => {
    const now = clock.now();
    const kept = await hoursOf({ since: historySince(now), stream });
    return c.html(historyPage({ stream, hours: kept, frame: frameOf(c), now }));
  });
}

interface Span {
  readonly since: number;
  readonly stream: StreamName | undefined;
}

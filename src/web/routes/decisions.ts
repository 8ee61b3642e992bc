import type { App } from "#server";
import { redacted } from "#telemetry";
import { adoptionPage } from "../pages/decisions/adoption-page.ts";
import { deletionsPage } from "../pages/decisions/deletions-page.ts";
import { planPage } from "../pages/decisions/plan-page.ts";
import { jsonAnswer, type PageDeps } from "../route-deps.ts";
import { ofStream } from "./record-address.ts";

/** What a person looks at before deciding about a stream: its plan, its held deletions, its existing records. */
export function addDecisions(app: App, { status, redact, clock, frameOf }: PageDeps): void {
  const now = () => clock.now();
  const planOf = async (stream: string) => redacted(await status.plan(stream), redact);
  const deletionsOf = async (stream: string) => redacted(await status.heldDeletions(stream), redact);

  ofStream(app, "/streams/:stream/plan", status, async (c, stream) =>
    c.html(planPage({ stream, dated: await planOf(stream), frame: frameOf(c), now: now() })),
  );
  ofStream(app, "/api/streams/:stream/plan", status, async (c, stream) =>
    jsonAnswer(c, (await planOf(stream)) ?? { plan: null }),
  );
  ofStream(app, "/streams/:stream/deletions", status, async (c, stream) =>
    c.html(deletionsPage({ stream, held: await deletionsOf(stream), frame: frameOf(c) })),
  );
  ofStream(app, "/api/streams/:stream/deletions", status, async (c, stream) =>
    jsonAnswer(c, { held: (await deletionsOf(stream)) ?? null }),
  );
  app.get("/adoption", async (c) => {
    const { streams } = redacted(await status.overview(), redact);
    const state = redacted(status.adoption(), redact);
    return c.html(adoptionPage({ streams, state, frame: frameOf(c), now: now() }));
  });
  app.get("/api/adoption", (c) => jsonAnswer(c, redacted(status.adoption(), redact)));
}

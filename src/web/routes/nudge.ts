import type { App } from "#server";
import { bearerOf, isSame } from "../access/credentials.ts";
import { jsonAnswer, type NudgeAccess } from "../route-deps.ts";

/**
 * `POST /nudge/STREAM`, for ERPs that send webhooks: 202, 401 without the token, 404 for an unknown stream. Without
 * `access`, it names the missing setting.
 */
export function addNudge(app: App, access: NudgeAccess | undefined): void {
  app.post("/nudge/:stream", (c) => {
    if (access === undefined)
      return jsonAnswer(c, { error: "nudges are off: set NUDGE_TOKEN and restart svcsync" }, 404);
    const { token, streams, nudge } = access;
    const given = bearerOf(c.req.header("authorization"));
    if (given === undefined || !isSame(given, token)) {
      c.header("www-authenticate", "Bearer");
      return jsonAnswer(c, { error: "expected the header Authorization: Bearer NUDGE_TOKEN" }, 401);
    }
    const stream = c.req.param("stream");
    if (!streams.includes(stream)) return jsonAnswer(c, { error: `no such stream: ${streams.join(", ")}` }, 404);
    nudge(stream);
    return jsonAnswer(c, { nudged: stream }, 202);
  });
}

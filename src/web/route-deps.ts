import type { Clock, StreamName } from "#model";
import { withIsoTimes } from "#operator";
import type { Context } from "#server";
import type { NoteStore } from "#store";
import type { Logger, Metrics, Redact } from "#telemetry";
import type { PageAccess } from "./access/visitor.ts";
import type { StatusSource } from "./contract.ts";
import type { Frame } from "./pages/frame/layout.ts";
import type { Readiness } from "./readiness.ts";

/** What the routes answer from. */
export interface RouteDeps {
  readonly status: StatusSource;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: Pick<Metrics, "text">;
  readonly access: PageAccess;
  /** What the processes of one store share and no one else knows; it signs sessions and forms. */
  readonly pageSecret: string;
  /** Holds the sessions that people ended. */
  readonly notes: NoteStore;
  /** Absent without NUDGE_TOKEN. */
  readonly nudges?: NudgeAccess;
  readonly redact: Redact;
  readonly clock: Clock;
  readonly version: string;
  readonly logger: Logger;
}

/** What the pages behind the gate need. */
export interface PageDeps extends RouteDeps {
  readonly frameOf: (c: Context) => Frame;
}

/** What programs of the ERP may request, with their own token. */
export interface NudgeAccess {
  readonly token: string;
  readonly streams: readonly StreamName[];
  /** Requests a poll of the stream; never waits and never throws. */
  readonly nudge: (stream: StreamName) => void;
}

/** An answer for scripts, with instants as ISO 8601 text. */
export function jsonAnswer(
  c: Context,
  value: unknown,
  status: 200 | 202 | 400 | 401 | 404 | 409 | 503 = 200,
): Response {
  return c.body(`${JSON.stringify(withIsoTimes(value), null, 2)}\n`, status, { "content-type": "application/json" });
}

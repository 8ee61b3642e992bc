import type { Clock } from "#model";
import type { Logger, Metrics, Redact } from "#telemetry";
import type { PageAccess } from "./access/visitor.ts";
import type { StatusSource } from "./contract.ts";
import type { NudgeAccess } from "./routes/nudge.ts";
import type { Readiness } from "./readiness.ts";

/** What the routes answer from. */
export interface RouteDeps {
  readonly status: StatusSource;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: Pick<Metrics, "text">;
  readonly access: PageAccess;
  /** Absent without NUDGE_TOKEN. */
  readonly nudges?: NudgeAccess;
  readonly redact: Redact;
  readonly clock: Clock;
  readonly version: string;
  readonly logger: Logger;
}

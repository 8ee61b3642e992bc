import { systemClock } from "#model";
import { openService, type Service } from "#service";
import type { Secrets, Settings } from "#settings";
import { version, type Logger } from "#telemetry";

/** Opens the service for one look: names of statuses and tags are read now, whatever a store remembers. */
export function openUncached(
  settings: Settings["service"],
  secrets: Secrets,
  context: { readonly logger: Logger; readonly hide?: (...texts: string[]) => void },
): Service {
  const referenceCache = { load: () => Promise.resolve(undefined), save: () => Promise.resolve() };
  return openService(settings, secrets, { ...context, clock: systemClock, referenceCache, version });
}

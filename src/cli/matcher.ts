import type { Configuration, Systems } from "#daemon";
import { Matcher } from "#pipeline";

/** A matcher with the settings that deliveries use. */
export function openMatcher({ settings, syncFile, logger }: Configuration, parts: Systems): Matcher {
  const { settleMs } = settings.delivery;
  return new Matcher({ ...parts, logger, settleMs, maxAgeMs: settings.service.matchMaxAgeMs }, syncFile.streams);
}

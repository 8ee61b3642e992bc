import { Matcher } from "#pipeline";
import type { Store } from "#store";
import type { Closing } from "../closing.ts";
import type { Configuration, Systems } from "./systems.ts";

/** A matcher with the settings that deliveries use. */
export function openMatcher({ settings, syncFile, logger }: Configuration, parts: Systems): Matcher {
  const { settleMs } = settings.delivery;
  return new Matcher({ ...parts, logger, settleMs, maxAgeMs: settings.service.matchMaxAgeMs }, syncFile.streams);
}

/**
 * Asks, while the other parts start, whether the resources of undecided streams are empty: the gate believes that only some seconds after a
 * first look. Only where no other process shares the service: its limits are not known yet.
 */
export async function lookAhead(
  { syncFile }: Configuration,
  store: Pick<Store, "stream" | "cluster">,
  matcher: Pick<Matcher, "lookAhead">,
  closing: Closing,
): Promise<void> {
  const { isLeader, others } = store.cluster.state;
  if (!isLeader || others > 0) return;
  const looking = new AbortController();
  closing.defer(() => looking.abort());
  for (const stream of syncFile.streams)
    if ((await store.stream(stream.name)).adoption === undefined) matcher.lookAhead(stream, looking.signal);
}

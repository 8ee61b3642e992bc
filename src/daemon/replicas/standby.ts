import type { Standby } from "#store";
import { startStandbyWeb } from "#web";
import { Closing } from "../closing.ts";
import type { ServiceManager } from "../service-manager.ts";
import type { Configuration } from "../systems/systems.ts";

/** Lets this daemon wait while another one holds the store, alive to its supervisor and not ready to anybody. */
export function standbyOf({ settings, logger }: Configuration, manager: ServiceManager, signal: AbortSignal): Standby {
  return {
    signal,
    waits: async (holder) => {
      const waiting = new Closing();
      const status = `Standing by: ${holder} has the store`;
      waiting.use(await startStandbyWeb(settings.health, holder));
      logger.info({ holder }, "standing by for the daemon that has the store");
      await manager.ready(status);
      waiting.use(manager.feed(() => Promise.resolve(), status));
      return waiting;
    },
  };
}

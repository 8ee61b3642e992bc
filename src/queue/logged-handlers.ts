import { asError } from "#model";
import type { Logger } from "#telemetry";
import type { QueueHandlers } from "./contract.ts";

/** The handlers, with everything that they throw logged instead: a defect must not end the work on other jobs. */
export function loggedHandlers(handlers: QueueHandlers, logger: Logger): QueueHandlers {
  return {
    async deliver(id, signal) {
      try {
        await handlers.deliver(id, signal);
      } catch (error) {
        logger.error({ ...id, err: asError(error) }, "caught an error that a delivery threw");
      }
    },
    async poll(stream, signal) {
      try {
        await handlers.poll(stream, signal);
      } catch (error) {
        logger.error({ err: asError(error), stream }, "caught an error that a poll threw");
      }
    },
  };
}

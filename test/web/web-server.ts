import { openMetrics, Redaction } from "#telemetry";
import { startWeb, type WebAddress, type WebParts } from "#web";
import { memoryLogger } from "../telemetry/memory-logger.ts";
import { now, sampleStatus } from "./sample-status.ts";

/** The real server on a free port, over the sample unless a part is given. */
export async function sampleWeb(parts: Partial<WebParts> = {}, address: Partial<WebAddress> = {}) {
  const logger = memoryLogger();
  const web = await startWeb(
    { host: "127.0.0.1", port: 0, ...address },
    {
      status: sampleStatus(),
      ready: { needed: { store: () => Promise.resolve() }, reported: {} },
      metrics: openMetrics({ version: "1.2.3", read: () => Promise.resolve({}) }),
      redact: new Redaction(["s3cret"]).redact,
      clock: { now: () => now },
      version: "1.2.3",
      logger,
      ...parts,
    },
  );
  return { url: web.url, logger, [Symbol.asyncDispose]: () => web[Symbol.asyncDispose]() };
}

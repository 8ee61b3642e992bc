import { z } from "zod";
import { paceText } from "#operator";
import type { LocalSettings } from "#settings";

/** The daemon asks its parts for four seconds at most. */
const PATIENCE_MS = 5_000;

const wrong = z.object({ code: z.string(), message: z.string() });
const readiness = z.object({ parts: z.record(z.string(), z.union([z.literal("ok"), wrong])) });
const overview = z.object({ service: z.object({ holdMs: z.number(), perSecond: z.number().optional() }) });

/**
 * What the running daemon says of its parts, a line for each that does not work and one for a limit of the service: the
 * store alone cannot tell that the service is away. One line where no daemon answers; none where it cannot be asked, since its port is any free one.
 */
export async function daemonWords({ port, host }: LocalSettings["health"]): Promise<string[]> {
  if (port === 0) return [];
  const address = `http://${addressOf(host)}:${port}`;
  try {
    const [ready, status] = await Promise.all([answerOf(`${address}/readyz`), answerOf(`${address}/api/status`)]);
    const broken = Object.entries(readiness.parse(ready).parts).flatMap(([name, said]) =>
      said === "ok" ? [] : [`the daemon says of the ${name}: ${said.message} (${said.code})`],
    );
    const pace = paceText(overview.parse(status).service);
    return pace === undefined ? broken : [...broken, `the daemon says of the service: it ${pace}`];
  } catch {
    return [`no daemon answers at ${address}: start "svcsync run", unless cron runs "svcsync sync"`];
  }
}

async function answerOf(url: string): Promise<unknown> {
  return (await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })).json();
}

/** Where a server that listens on every address is reached from its own machine. */
function addressOf(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

import { errorText } from "#model";
import { z } from "zod";
import { knownRemedyOf, paceText } from "#operator";
import type { LocalSettings } from "#settings";

/** The daemon allows its parts four seconds to answer. */
const PATIENCE_MS = 5_000;

const wrong = z.object({ code: z.string(), message: z.string() });
const readiness = z.object({ parts: z.record(z.string(), z.union([z.literal("ok"), wrong])) });
const overview = z.object({
  service: z.object({ holdMs: z.number(), perSecond: z.number().optional() }),
  queue: z.object({ kind: z.string().optional() }).optional(),
});

/**
 * What the running daemon reports: one line for each part that fails, followed by its remedy, and one for a limit of the
 * service, because the store alone cannot tell that the service is down. One line if the queue is in-process, one if no
 * daemon answers, and one if it answers but `token` (PAGE_TOKEN) does not allow the command to read its health. Nothing if it cannot be asked because
 * it listens on any free port.
 */
export async function daemonWords({ port, host }: LocalSettings["health"], token?: string): Promise<string[]> {
  if (port === 0) return [];
  const address = `http://${addressOf(host)}:${port}`;
  try {
    const [ready, status] = await Promise.all([
      answerOf(`${address}/readyz`, token),
      answerOf(`${address}/api/status`, token),
    ]);
    if (ready === undefined) return [`a daemon answers at ${address}, but shows its health only with PAGE_TOKEN`];
    const broken = Object.entries(readiness.parse(ready).parts).flatMap(([name, said]) =>
      said === "ok" ? [] : [`the daemon reports a problem of the ${name}: ${errorText(said)}`, ...todo(said.code)],
    );
    if (status === undefined) return broken;
    const { service, queue } = overview.parse(status);
    const pace = paceText(service);
    return [
      ...broken,
      ...(pace === undefined ? [] : [`the daemon reports that the service ${pace}`]),
      ...(queue?.kind === "in-process" ? ["the daemon's queue is in-process: it runs without a Redis server"] : []),
    ];
  } catch {
    return [`no daemon answers at ${address}: start "svcsync run", unless cron runs "svcsync sync"`];
  }
}

function todo(code: string): string[] {
  const remedy = knownRemedyOf(code);
  return remedy === undefined ? [] : [`  -> ${remedy}`];
}

/** Undefined where the daemon answers without telling anything: its page requires a login, or accepts none. */
async function answerOf(url: string, token: string | undefined): Promise<unknown> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!response.ok && response.status !== 503) return undefined;
  return response.json();
}

/** The local address of a server that listens on every address. */
function addressOf(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

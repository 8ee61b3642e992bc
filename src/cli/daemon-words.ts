import { z } from "zod";
import type { LocalSettings } from "#settings";

/** The daemon asks its parts for four seconds at most. */
const PATIENCE_MS = 5_000;

const wrong = z.object({ code: z.string(), message: z.string() });
const readiness = z.object({ parts: z.record(z.string(), z.union([z.literal("ok"), wrong])) });

/**
 * What the running daemon says of its parts, a line for each that does not work: the store alone cannot tell that the
 * service is away. One line where no daemon answers; none where it cannot be asked, since its port is any free one.
 */
export async function daemonWords({ port, host }: LocalSettings["health"]): Promise<string[]> {
  if (port === 0) return [];
  const address = `http://${addressOf(host)}:${port}`;
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const { parts } = readiness.parse(await response.json());
    return Object.entries(parts).flatMap(([name, said]) =>
      said === "ok" ? [] : [`the daemon says of the ${name}: ${said.message} (${said.code})`],
    );
  } catch {
    return [`no daemon answers at ${address}: start "svcsync run", unless cron runs "svcsync sync"`];
  }
}

/** Where a server that listens on every address is reached from its own machine. */
function addressOf(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

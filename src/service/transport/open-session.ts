import type { Settings } from "#settings";
import { Fencing, type Fence } from "./fence.ts";
import { ServiceLogin, type ServiceLoginDeps } from "./login.ts";
import { ServiceSession } from "./session.ts";
import { announceFence, SharedToken, type SessionCell } from "./shared-token.ts";

export interface SessionParts {
  readonly session: ServiceSession;
  /** What a daemon does when it takes over from a lost one. */
  readonly fencing: {
    /** Ends the lost daemon's session, where the store asks for it. */
    readonly end: () => Promise<void>;
    readonly exposedMs: () => number;
    readonly prove: () => Promise<Fence>;
  };
}

interface SessionPaths {
  readonly logoutUrl: string;
  readonly probeUrl: string;
}

const NO_FENCE: Fence = "none (static SERVICE_TOKEN)";

/** The session of this process, or, with `cell`, of all daemons that share the cell. */
export function openSession(
  settings: Settings["service"]["login"],
  deps: ServiceLoginDeps & SessionPaths,
  cell: SessionCell | undefined,
): SessionParts {
  const login = new ServiceLogin(deps);
  const { clock, logger } = deps;
  if (settings.kind === "token") {
    if (cell) announceFence(logger, NO_FENCE);
    const session = new ServiceSession({ settings, login, shared: undefined, clock });
    const end = () => forgetRevocation(cell);
    return { session, fencing: { end, exposedMs: () => 0, prove: () => Promise.resolve(NO_FENCE) } };
  }
  const fencing = new Fencing({ ...deps, login, settings });
  const shared = cell && new SharedToken({ ...deps, cell, login, settings, fencing });
  const session = new ServiceSession({ settings, login, shared, clock });
  const end = async () => {
    while (await shared?.mustFence()) await session.renew();
  };
  return { session, fencing: { end, exposedMs: () => shared?.exposedMs ?? 0, prove: () => fencing.prove() } };
}

/** The kept session belongs to an earlier password login. The current static token cannot be ended. */
async function forgetRevocation(cell: SessionCell | undefined): Promise<void> {
  const kept = await cell?.load();
  if (kept?.revoked) await cell?.replace(kept, { ...kept, revoked: undefined });
}

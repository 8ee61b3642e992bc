import { randomUUID } from "node:crypto";
import { sleep, StopError, type Clock } from "#model";
import type { Logger } from "#telemetry";
import { SHORT_LIFE_MINUTES, type Fence, type Fencing } from "./fence.ts";
import { serviceLoginRefused, type Doubted, type Granted, type ServiceLogin, type PasswordLogin } from "./login.ts";
import { seal, unseal } from "./sealed.ts";
import type { ServiceClock } from "./server-clock.ts";

/** The session that the daemons of one store share. Without the password it is useless. */
export interface KeptSession {
  /** The token, sealed with the password. */
  readonly token?: string | undefined;
  /** The previous token, sealed too, until it is known to have ended: a lost daemon may still use it. */
  readonly former?: string | undefined;
  /** When the token expires by the service's clock, according to its login; absent if never. */
  readonly expiresAt?: number | undefined;
  /** By how much each request extends it; absent if requests do not. */
  readonly extendsByMs?: number | undefined;
  /** The daemon that is logging in. */
  readonly by?: string | undefined;
  readonly doubted?: Doubted | undefined;
  /** Why the service refused the credentials, sealed with the password, so that it is void once the password changes. */
  readonly refusal?: { readonly sealed: string; readonly at: number } | undefined;
  readonly fence?: Fence | undefined;
  /** A daemon was lost while it may still send: its token must be ended before anything else is sent. */
  readonly revoked?: boolean | undefined;
  /** Until when, by the service's clock, the service may still carry out requests of a lost daemon. */
  readonly exposedUntil?: number | undefined;
}

/** Where the session is kept. */
export interface SessionCell {
  load(): Promise<KeptSession | undefined>;
  /** Replaces the session only if it still equals `known`; false otherwise. */
  replace(known: KeptSession | undefined, next: KeptSession): Promise<boolean>;
}

/** After this time, another daemon repeats the login. */
const LOGIN_LEASE_MS = 30_000;
const LOOK_MS = 100;
/** How long a refusal keeps all daemons from trying the same password again. */
const REFUSAL_MS = 60 * 60_000;

export interface SharedTokenDeps {
  readonly cell: SessionCell;
  readonly login: ServiceLogin;
  readonly settings: PasswordLogin;
  readonly fencing: Fencing;
  readonly clock: Clock;
  readonly serverClock: ServiceClock;
  readonly logger: Logger;
  readonly hide: (...secrets: string[]) => void;
}

/**
 * The token that all daemons of a store share. One of them logs in at a time and the others use its token, as does a
 * daemon that restarts.
 */
export class SharedToken {
  readonly #deps: SharedTokenDeps;
  readonly #self = randomUUID();
  #exposedUntil = 0;
  #fence: Fence | undefined;

  constructor(deps: SharedTokenDeps) {
    this.#deps = deps;
  }

  /** Milliseconds for which the service may still carry out requests of a lost daemon. */
  get exposedMs(): number {
    return Math.max(0, this.#exposedUntil - this.#deps.serverClock.now());
  }

  /**
   * A token other than `last`: another daemon's, or a new one.
   * @throws {StopError} E_SERVICE_LOGIN when the service refused the password, whichever daemon tried it.
   */
  async next(last: string | undefined): Promise<Granted> {
    const { cell } = this.#deps;
    let other: { by: string; since: number } | undefined;
    for (;;) {
      const kept = await cell.load();
      const by = kept?.by === this.#self ? undefined : kept?.by;
      if (by !== undefined && other?.by !== by) other = { by, since: performance.now() };
      if (by !== undefined && other && performance.now() - other.since < LOGIN_LEASE_MS) {
        await sleep(LOOK_MS);
        continue;
      }
      const usable = by === undefined ? await this.#usable(kept ?? {}, last) : undefined;
      if (usable) return usable;
      const mine = { ...kept, by: this.#self };
      const granted = (await cell.replace(kept, mine)) ? await this.#logIn(mine) : undefined;
      if (granted) return granted;
    }
  }

  /** Whether a lost daemon's token has to be ended. */
  async mustFence(): Promise<boolean> {
    return (await this.#deps.cell.load())?.revoked === true;
  }

  async #usable(kept: KeptSession, last: string | undefined): Promise<Granted | undefined> {
    await this.#expectNotRefused(kept);
    if (kept.revoked || kept.token === undefined) return undefined;
    const leftMs = (kept.expiresAt ?? Infinity) - this.#deps.serverClock.now();
    if (leftMs <= 0) return undefined;
    const token = await this.#opened(kept.token);
    if (token === undefined || token === last) return undefined;
    this.#deps.hide(token);
    this.#learn(kept);
    const { extendsByMs } = kept;
    return { token, leftMs, lifeMs: extendsByMs ?? leftMs, isExtended: extendsByMs !== undefined, isTaken: true };
  }

  async #expectNotRefused({ refusal }: KeptSession): Promise<void> {
    if (refusal === undefined || Math.abs(this.#deps.clock.now() - refusal.at) > REFUSAL_MS) return;
    const message = await this.#opened(refusal.sealed);
    if (message !== undefined) throw serviceLoginRefused(message);
  }

  /** Undefined when another daemon changed the session meanwhile: it took over from this one, or logged in later. */
  async #logIn(mine: KeptSession): Promise<Granted | undefined> {
    const { cell, login, fencing, settings } = this.#deps;
    login.doubted = mine.doubted;
    try {
      const fence = mine.fence ?? (await fencing.prove());
      const old = await this.#openedAll(mine);
      if (mine.revoked) for (const token of old) await fencing.logOut(token);
      const granted = await login.run(lifeOf(settings, fence));
      const former = fence === "logout" && !old.includes(granted.token) ? mine.token : undefined;
      const fenced = mine.revoked
        ? await this.#fenced(mine, old, fence)
        : { fence, former, exposedUntil: mine.exposedUntil };
      const next = { ...(await this.#kept(granted)), ...fenced };
      if (await cell.replace(mine, next)) {
        this.#learn(next);
        // A token of another login must not be ended here; it is kept for a fence.
        const isAllOpened = old.length === sealedTokens(mine).length;
        if (!mine.revoked && former !== undefined && isAllOpened)
          void this.#endFormer(next, old).catch(() => undefined);
        return granted;
      }
      await fencing.logOut(granted.token);
      return undefined;
    } catch (thrown) {
      // If the store fails too, others wait until this login counts as lost.
      await this.#failed(mine, thrown).catch(() => undefined);
      throw thrown;
    }
  }

  /** Makes the store forget the former token once it has ended. Until then, a fence ends it too. */
  async #endFormer(next: KeptSession, old: readonly string[]): Promise<void> {
    const { cell, fencing } = this.#deps;
    for (const token of old) {
      await fencing.logOut(token);
      if (await fencing.isAlive(token)) return;
    }
    await cell.replace(next, { ...next, former: undefined });
  }

  /** Checks whether the lost daemon's token has ended; if not, returns until when it may be used. */
  async #fenced(
    mine: KeptSession,
    old: readonly string[],
    fence: Fence,
  ): Promise<Pick<KeptSession, "fence" | "exposedUntil">> {
    const { fencing, logger, serverClock } = this.#deps;
    let isEnded = old.length === sealedTokens(mine).length;
    for (const token of old) isEnded &&= !(await fencing.isAlive(token));
    if (isEnded) {
      logger.info({ fence }, "ended the session of a lost daemon");
      return { fence, exposedUntil: mine.exposedUntil };
    }
    const now = serverClock.now();
    const endsAt = Math.max(mine.expiresAt ?? now, now + (mine.extendsByMs ?? 0));
    logger.warn({ exposedMs: Math.ceil(endsAt - now) }, "session of a lost daemon stays valid until it expires");
    return { fence: `expiry ${SHORT_LIFE_MINUTES} min`, exposedUntil: Math.max(endsAt, mine.exposedUntil ?? 0) };
  }

  async #kept({ token, leftMs, lifeMs, isExtended }: Granted): Promise<KeptSession> {
    return {
      token: await seal(token, this.#password),
      ...(leftMs === Infinity ? {} : { expiresAt: Math.round(this.#deps.serverClock.now() + leftMs) }),
      ...(isExtended && lifeMs !== Infinity ? { extendsByMs: lifeMs } : {}),
    };
  }

  /** Lets others try again, unless the service refused the password. */
  async #failed(mine: KeptSession, thrown: unknown): Promise<void> {
    const { cell, login, clock } = this.#deps;
    const { by: _by, ...former } = mine;
    const isRefused = thrown instanceof StopError && thrown.code === "E_SERVICE_LOGIN";
    const sealed = isRefused ? await seal(thrown.message, this.#password) : undefined;
    await cell.replace(mine, {
      ...former,
      doubted: login.doubted,
      ...(sealed === undefined ? {} : { refusal: { sealed, at: clock.now() } }),
    });
  }

  #learn({ fence, exposedUntil }: KeptSession): void {
    this.#exposedUntil = exposedUntil ?? 0;
    if (fence !== undefined && fence !== this.#fence) announceFence(this.#deps.logger, fence);
    this.#fence = fence;
  }

  /** Opens all sealed tokens. Those sealed with an earlier password stay sealed. */
  async #openedAll(kept: KeptSession): Promise<string[]> {
    const opened = await Promise.all(sealedTokens(kept).map((sealed) => this.#opened(sealed)));
    return opened.filter((token) => token !== undefined);
  }

  #opened(sealed: string): Promise<string | undefined> {
    return unseal(sealed, this.#password);
  }

  get #password(): string {
    return this.#deps.login.secrets.servicePassword ?? "";
  }
}

function sealedTokens({ token, former }: KeptSession): string[] {
  return [token, former].filter((sealed) => sealed !== undefined);
}

/** Logs, once, what protects the service from late writes. */
export function announceFence(logger: Logger, fence: Fence): void {
  logger.info({ fence }, "fence against late writes of a lost daemon");
}

/** Shortens the life of a token that nothing else ends, and keeps requests from extending it. */
function lifeOf(settings: PasswordLogin, fence: Fence): PasswordLogin {
  if (!fence.startsWith("expiry")) return settings;
  const { lifeTimeMinutes: minutes } = settings;
  const lifeTimeMinutes = minutes < 0 ? SHORT_LIFE_MINUTES : Math.min(minutes, SHORT_LIFE_MINUTES);
  return { ...settings, lifeTimeMinutes, lifeTimeRefresh: false };
}

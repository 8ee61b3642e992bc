import { StopError, type Clock } from "#model";
import type { Settings } from "#settings";
import { serviceLoginRefused, type Granted, type ServiceLogin, type PasswordLogin } from "./login.ts";
import type { SharedToken } from "./shared-token.ts";

/** The token that calls carry, and whether it worked. */
export interface Token {
  readonly text: string;
  /** The Authorization header. */
  readonly header: string;
  served: number;
  /** Several concurrent calls may find that it is refused at its first use. */
  isUseless: boolean;
}

/** How long before its expiry a token is renewed, or a tenth of its life if that is less. */
const RENEW_AHEAD_MS = 60_000;
const RENEW_AGAIN_MS = 5000;
/** Consecutive logins whose token is refused at its first use; more would not help. */
const USELESS_LOGINS = 3;

interface SessionDeps {
  readonly settings: Settings["service"]["login"];
  readonly login: ServiceLogin;
  /** The token is shared with other daemons, and one of them may have obtained it. */
  readonly shared: SharedToken | undefined;
  readonly clock: Clock;
}

/**
 * Keeps a valid token. Only one login runs at a time, whatever the number of callers, and tokens are renewed before they
 * expire. Credentials that were refused are never sent again unless they have changed: every further call fails in the
 * same way until a restart. A 400 or 403 that is not in the service's own form is retried after growing pauses, some of
 * them minutes long.
 */
export class ServiceSession {
  readonly #deps: SessionDeps;
  #token: Token | undefined;
  #expiresAt = Infinity;
  #lifeMs = Infinity;
  #isExtended = false;
  #pending: Promise<Token> | undefined;
  #aheadAgainAt = 0;
  #useless = 0;
  #refusal: StopError | undefined;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    if (deps.settings.kind === "token") this.#token = this.#staticToken();
  }

  /** A token that is valid as far as is known; a promise only when a login is needed first. */
  token(): Token | Promise<Token> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const left = this.#expiresAt - this.#deps.clock.now();
    if (this.#token === undefined || left <= 0) return this.renew();
    if (left < Math.min(RENEW_AHEAD_MS, this.#lifeMs / 10)) this.#renewAhead();
    return this.#token;
  }

  /** An answer proved the token valid. Where requests extend its life, this one did. */
  served(token: Token): void {
    token.served++;
    this.#useless = 0;
    if (this.#isExtended && token === this.#token) this.#expiresAt = this.#deps.clock.now() + this.#lifeMs;
  }

  /**
   * A call with `token` was answered 401. Resolves when the call may be sent again with the current token.
   * @throws {StopError} E_SERVICE_LOGIN when no new token can help.
   */
  async refused(token: Token, firstTime: boolean): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const { settings, login } = this.#deps;
    if (settings.kind === "token") {
      if (firstTime || token !== this.#token) return;
      if (login.hasRenewed()) {
        this.#token = this.#staticToken();
        return;
      }
      throw this.#refuse("the service answers 401 to SERVICE_TOKEN: it has expired, was revoked or is not a token");
    }
    if (token !== this.#token) return;
    if (token.served === 0 && !token.isUseless) {
      token.isUseless = true;
      this.#useless++;
    }
    if (this.#useless >= USELESS_LOGINS)
      throw this.#refuse(
        `the service logs ${settings.username} in but answers 401 to the new token, ${USELESS_LOGINS} times in a row`,
      );
    this.#expiresAt = 0;
    await this.renew();
  }

  /** Renews in the background while the old token stays in use; after a failure, the next try waits a little. */
  #renewAhead(): void {
    const now = this.#deps.clock.now();
    if (this.#pending !== undefined || now < this.#aheadAgainAt) return;
    this.#aheadAgainAt = now + RENEW_AGAIN_MS;
    this.renew().catch(() => undefined);
  }

  /** Gets a different token, even if this one is still valid. */
  renew(): Promise<Token> {
    this.#pending ??= this.#login().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #login(): Promise<Token> {
    const { settings, login } = this.#deps;
    if (settings.kind === "token") throw this.#refuse("a static token cannot be renewed");
    try {
      return this.#take(await this.#granted(settings));
    } catch (thrown) {
      if (!(thrown instanceof StopError) || thrown.code !== "E_SERVICE_LOGIN") throw thrown;
      if (!login.hasRenewed()) throw (this.#refusal = thrown);
      return this.#login();
    }
  }

  #granted(settings: PasswordLogin): Promise<Granted> {
    const { shared, login } = this.#deps;
    return shared ? shared.next(this.#token?.text) : login.run(settings);
  }

  #take({ token, lifeMs, leftMs, isExtended, isTaken = false }: Granted): Token {
    this.#lifeMs = lifeMs;
    this.#isExtended = isExtended;
    this.#expiresAt = this.#deps.clock.now() + leftMs;
    this.#token = { text: token, header: `Bearer ${token}`, served: isTaken ? 1 : 0, isUseless: false };
    return this.#token;
  }

  #staticToken(): Token {
    const text = this.#deps.login.secrets.serviceToken ?? "";
    return { text, header: `Bearer ${text}`, served: 0, isUseless: false };
  }

  #refuse(message: string): StopError {
    this.#refusal = serviceLoginRefused(message);
    return this.#refusal;
  }
}

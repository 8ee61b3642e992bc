import { isJsonObject, RetryError, StopError, WaitError, type Clock, type Json, type JsonObject } from "#model";
import type { HttpAnswer, HttpClient } from "#http";
import type { Secrets, Settings } from "#settings";
import type { Logger } from "#telemetry";
import { answerError, exchangeError, isOwnWord, serviceMessage } from "./failures.ts";
import { instantOf } from "../dialect/values.ts";

/** What calls carry, and how well it served. */
export interface Token {
  /** The Authorization header. */
  readonly header: string;
  served: number;
}

/** A token is renewed this long before it expires, or at a tenth of its life if that is less. */
const RENEW_AHEAD_MS = 60_000;
const RENEW_AGAIN_MS = 5000;
/** Logins in a row whose token is refused at its first use: more would not help. */
const USELESS_LOGINS = 3;
const MINUTE_MS = 60_000;
/**
 * Pauses after logins that something in between refused, as a gateway does that restarts. Four tries stay below the number of
 * wrong passwords that locks an account, if it was the service after all.
 */
const DOUBTED_PAUSES_MS = [5_000, 25_000, 120_000];

interface Doubted {
  readonly count: number;
  readonly at: number;
  readonly message: string;
}

interface SessionDeps {
  readonly login: Settings["service"]["login"];
  readonly loginUrl: string;
  readonly secrets: Secrets;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hide: (...secrets: string[]) => void;
  /** The secrets as they are now, if they are others than before. */
  readonly renew: () => Secrets | undefined;
}

/**
 * The right to call. One login at a time however many callers ask, renewed ahead of its end. Credentials that the service
 * refused once are never sent again, unless there are others by then: every further call fails as the first one did, until a restart. A 400 or 403 that is not in
 * the service's own words is retried after growing pauses, some minutes long.
 */
export class Session {
  readonly #deps: SessionDeps;
  #secrets: Secrets;
  #token: Token | undefined;
  #expiresAt = Infinity;
  #lifeMs = Infinity;
  #pending: Promise<Token> | undefined;
  #aheadAgainAt = 0;
  #useless = 0;
  #refusal: StopError | undefined;
  /** Logins in a row that something in between refused; undefined while none was. */
  #doubted: Doubted | undefined;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#secrets = deps.secrets;
    if (deps.login.kind === "token") this.#token = this.#staticToken();
  }

  /** A token that is good as far as is known; a promise only when a login is needed first. */
  token(): Token | Promise<Token> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const left = this.#expiresAt - this.#deps.clock.now();
    if (this.#token === undefined || left <= 0) return this.#renew();
    if (left < Math.min(RENEW_AHEAD_MS, this.#lifeMs / 10)) this.#renewAhead();
    return this.#token;
  }

  /** An answer proved the token good; where requests extend its life, it did. */
  served(token: Token): void {
    token.served++;
    this.#useless = 0;
    const { login, clock } = this.#deps;
    if (login.kind === "password" && login.lifeTimeRefresh && token === this.#token)
      this.#expiresAt = clock.now() + this.#lifeMs;
  }

  /**
   * A call with `token` was answered 401. Resolves when the call may be sent again with the token of now.
   * @throws {StopError} E_SERVICE_LOGIN when no new token can help.
   */
  async refused(token: Token, firstTime: boolean): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#deps.login.kind === "token") {
      if (firstTime || token !== this.#token) return;
      if (this.#hasRenewed()) {
        this.#token = this.#staticToken();
        return;
      }
      throw this.#refuse("the service answers 401 to SERVICE_TOKEN: it has expired, was revoked or is not a token");
    }
    if (token !== this.#token) return;
    if (token.served === 0 && ++this.#useless >= USELESS_LOGINS)
      throw this.#refuse(
        `the service logs ${this.#deps.login.username} in but answers 401 to the new token, ${USELESS_LOGINS} times in a row`,
      );
    this.#token = undefined;
    await this.#renew();
  }

  /** In the background, with the old token still in use; if it fails, the next try waits a little. */
  #renewAhead(): void {
    const now = this.#deps.clock.now();
    if (this.#pending !== undefined || now < this.#aheadAgainAt) return;
    this.#aheadAgainAt = now + RENEW_AGAIN_MS;
    this.#renew().catch(() => undefined);
  }

  #renew(): Promise<Token> {
    this.#pending ??= this.#login().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #login(): Promise<Token> {
    try {
      return await this.#tryLogin();
    } catch (thrown) {
      if (this.#refusal === undefined || thrown !== this.#refusal || !this.#hasRenewed()) throw thrown;
      this.#refusal = undefined;
      return this.#login();
    }
  }

  /** Asked after each refusal: what was refused once is not sent again. */
  #hasRenewed(): boolean {
    const secrets = this.#deps.renew();
    if (secrets === undefined) return false;
    this.#secrets = secrets;
    this.#doubted = undefined;
    return true;
  }

  #staticToken(): Token {
    return { header: `Bearer ${this.#secrets.serviceToken}`, served: 0 };
  }

  async #tryLogin(): Promise<Token> {
    const { login, loginUrl, http, clock, logger, hide } = this.#deps;
    if (login.kind === "token") throw this.#refuse("a static token cannot be renewed");
    this.#expectRested();
    const { servicePassword, serviceCode } = this.#secrets;
    const body: JsonObject = {
      username: login.username,
      password: servicePassword ?? "",
      lifeTime: login.lifeTimeMinutes,
      lifeTimeRefresh: login.lifeTimeRefresh,
      ...(login.tokenName === undefined ? {} : { name: login.tokenName }),
      ...(serviceCode === undefined ? {} : { code: secondFactor(serviceCode) }),
    };
    const answer = await this.#post(http, loginUrl, body);
    const result = this.#result(answer, login.username);
    hide(result.token);
    const now = clock.now();
    this.#lifeMs = login.lifeTimeMinutes < 0 ? Infinity : login.lifeTimeMinutes * MINUTE_MS;
    this.#expiresAt = now + Math.min(this.#lifeMs, statedLifeMs(result.expiresAt, now));
    this.#token = { header: `Bearer ${result.token}`, served: 0 };
    this.#doubted = undefined;
    logger.info({ username: login.username, lifeTimeMinutes: login.lifeTimeMinutes }, "logged in to the service");
    return this.#token;
  }

  /** One attempt; the caller's signal is not passed on, because others may wait for the same login. */
  async #post(http: HttpClient, url: string, json: JsonObject): Promise<HttpAnswer> {
    try {
      return await http.call({ method: "POST", url, json, headers: { accept: "application/json" } });
    } catch (thrown) {
      throw exchangeError(thrown, false);
    }
  }

  #result(answer: HttpAnswer, username: string): { token: string; expiresAt: number | undefined } {
    if (answer.status === 400 || answer.status === 401 || answer.status === 403) throw this.#refused(answer, username);
    if (answer.status === 404)
      throw new RetryError("E_SERVICE_ANSWER", `${answer.place} answered 404: is SERVICE_URL the tenant's address?`);
    if (!answer.ok) throw answerError(answer, false, this.#deps.clock.now());
    const result = this.#json(answer);
    const token = isJsonObject(result) ? result["access_token"] : undefined;
    if (isJsonObject(result) && typeof token === "string")
      return { token, expiresAt: instantOf(result["expire_date"]) ?? instantOf(result["expires_date"]) };
    throw new RetryError("E_SERVICE_ANSWER", `${answer.place} answered ${answer.status} without an access_token`);
  }

  #json(answer: HttpAnswer): Json | undefined {
    try {
      return answer.json();
    } catch (thrown) {
      throw exchangeError(thrown, false);
    }
  }

  /** A 401 names the credentials. A 400 or a 403 does so in the service's own words; else a gateway may have said it. */
  #refused(answer: HttpAnswer, username: string): StopError | WaitError {
    const message = `the service refused the login of ${username} with ${answer.status}: ${this.#withoutSecrets(answer)}`;
    const count = (this.#doubted?.count ?? 0) + 1;
    if (answer.status === 401 || isOwnWord(answer) || count > DOUBTED_PAUSES_MS.length) return this.#refuse(message);
    this.#doubted = { count, at: this.#deps.clock.now(), message };
    this.#deps.logger.warn({ username, status: answer.status, count }, "login was refused, perhaps by a gateway");
    return this.#restError(this.#doubted);
  }

  /** @throws {WaitError} E_SERVICE_DOUBTED until the pause after a refused login is over. */
  #expectRested(): void {
    if (this.#doubted !== undefined && this.#restMs(this.#doubted) > 0) throw this.#restError(this.#doubted);
  }

  /** A pause that seems longer than it is means that the clock was set back. */
  #restMs({ count, at }: Doubted): number {
    const pauseMs = DOUBTED_PAUSES_MS[count - 1] ?? 0;
    const leftMs = at + pauseMs - this.#deps.clock.now();
    return leftMs > pauseMs ? 0 : leftMs;
  }

  #restError(doubted: Doubted): WaitError {
    return new WaitError("E_SERVICE_DOUBTED", `${doubted.message}; not in the service's own words, so it is retried`, {
      afterMs: this.#restMs(doubted),
    });
  }

  #refuse(message: string): StopError {
    this.#refusal = new StopError("E_SERVICE_LOGIN", message);
    return this.#refusal;
  }

  #withoutSecrets(answer: HttpAnswer): string {
    const { servicePassword, serviceCode } = this.#secrets;
    let said = serviceMessage(answer) || "no reason given";
    for (const secret of [servicePassword, serviceCode]) if (secret) said = said.replaceAll(secret, "***");
    return said;
  }
}

/** A stated end is believed when it lies ahead; a clock that differs by more than the token's life says nothing. */
function statedLifeMs(expiresAt: number | undefined, now: number): number {
  return expiresAt !== undefined && expiresAt > now ? expiresAt - now : Infinity;
}

function secondFactor(code: string): number | string {
  return /^\d+$/.test(code) ? Number(code) : code;
}

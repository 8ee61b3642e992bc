import { isJsonObject, RetryError, StopError, WaitError, type Clock, type Json, type JsonObject } from "#model";
import type { HttpAnswer, HttpClient } from "#http";
import type { Secrets, Settings } from "#settings";
import type { Logger } from "#telemetry";
import { answerError, failedExchange, isOwnWord, serviceMessage } from "./failures.ts";
import type { ServiceClock } from "./server-clock.ts";
import { instantOf } from "../dialect/values.ts";

export type PasswordLogin = Extract<Settings["service"]["login"], { kind: "password" }>;

/** A token from a login. */
export interface Granted {
  readonly token: string;
  /** Its total life in milliseconds; Infinity if it never expires. */
  readonly lifeMs: number;
  readonly leftMs: number;
  /** Each request extends it by its total life. */
  readonly isExtended: boolean;
  /** Another daemon logged in and may have used it. */
  readonly isTaken?: boolean;
}

/** Consecutive logins that were refused by something in between. */
export interface Doubted {
  readonly count: number;
  readonly at: number;
  readonly message: string;
}

const MINUTE_MS = 60_000;
/**
 * Pauses after logins that were refused by something in between, such as a restarting gateway. Four tries stay below the
 * number of wrong passwords that locks an account, in case it was the service after all.
 */
const DOUBTED_PAUSES_MS = [5_000, 25_000, 120_000];

export interface ServiceLoginDeps {
  readonly url: string;
  readonly secrets: Secrets;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly serverClock: ServiceClock;
  readonly logger: Logger;
  readonly hide: (...secrets: string[]) => void;
  /** Returns the current secrets if they have changed. */
  readonly renew: () => Secrets | undefined;
}

/** Logs in, one login at a time, with pauses after refusals that may have come from a gateway. */
export class ServiceLogin {
  readonly #deps: ServiceLoginDeps;
  #secrets: Secrets;
  /** Undefined unless the last login was refused. */
  doubted: Doubted | undefined;

  constructor(deps: ServiceLoginDeps) {
    this.#deps = deps;
    this.#secrets = deps.secrets;
  }

  get secrets(): Secrets {
    return this.#secrets;
  }

  /** Whether the credentials have changed. Asked after each refusal: refused credentials are not sent again. */
  hasRenewed(): boolean {
    const secrets = this.#deps.renew();
    if (secrets === undefined) return false;
    this.#secrets = secrets;
    this.doubted = undefined;
    return true;
  }

  /**
   * Logs in.
   * @throws {StopError} E_SERVICE_LOGIN when the service refuses the credentials.
   * @throws {WaitError} E_SERVICE_DOUBTED until the pause after a doubted login is over.
   */
  async run({ username, lifeTimeMinutes, lifeTimeRefresh, tokenName }: PasswordLogin): Promise<Granted> {
    this.#expectRested();
    const { servicePassword, serviceCode } = this.#secrets;
    const { clock, logger, hide } = this.#deps;
    const answer = await this.#post({
      username,
      password: servicePassword ?? "",
      lifeTime: lifeTimeMinutes,
      lifeTimeRefresh,
      ...(tokenName === undefined ? {} : { name: tokenName }),
      ...(serviceCode === undefined ? {} : { code: secondFactor(serviceCode) }),
    });
    const { token, expiresAt } = await this.#result(answer, username);
    hide(token);
    this.doubted = undefined;
    const lifeMs = lifeTimeMinutes < 0 ? Infinity : lifeTimeMinutes * MINUTE_MS;
    logger.info({ username, lifeTimeMinutes }, "logged in to the service");
    const leftMs = Math.min(lifeMs, statedLifeMs(expiresAt, clock.now()));
    return { token, lifeMs, leftMs, isExtended: lifeTimeRefresh };
  }

  /** Sends one attempt, without the caller's signal, because others may wait for the same login. */
  async #post(json: JsonObject): Promise<HttpAnswer> {
    const { http, url, serverClock } = this.#deps;
    try {
      const answer = await http.call({ method: "POST", url, json, headers: { accept: "application/json" } });
      serverClock.hear(answer.headers.date);
      return answer;
    } catch (thrown) {
      throw failedExchange(thrown, false);
    }
  }

  async #result(
    answer: HttpAnswer,
    username: string,
  ): Promise<{ readonly token: string; readonly expiresAt: number | undefined }> {
    if (answer.status === 400 || answer.status === 401 || answer.status === 403) throw this.#refused(answer, username);
    if (answer.status === 404)
      throw new RetryError("E_SERVICE_ANSWER", `${answer.place} answered 404: is SERVICE_URL the tenant's address?`);
    if (!answer.ok) throw answerError(answer, false, this.#deps.clock.now());
    const result = await this.#json(answer);
    const token = isJsonObject(result) ? result["access_token"] : undefined;
    if (isJsonObject(result) && typeof token === "string" && /^\S+$/.test(token))
      return { token, expiresAt: instantOf(result["expire_date"]) ?? instantOf(result["expires_date"]) };
    throw new RetryError("E_SERVICE_ANSWER", `${answer.place} answered ${answer.status} without an access_token`);
  }

  async #json(answer: HttpAnswer): Promise<Json | undefined> {
    try {
      return await answer.json();
    } catch (thrown) {
      throw failedExchange(thrown, false);
    }
  }

  /**
   * A 401 always concerns the credentials. A 400 or 403 does so only in the service's own form; otherwise a gateway may
   * have sent it.
   */
  #refused(answer: HttpAnswer, username: string): StopError | WaitError {
    const message = `the service refused the login of ${username} with ${answer.status}: ${this.#withoutSecrets(answer)}`;
    const count = (this.doubted?.count ?? 0) + 1;
    if (answer.status === 401 || isOwnWord(answer) || count > DOUBTED_PAUSES_MS.length)
      return serviceLoginRefused(message);
    this.doubted = { count, at: this.#deps.clock.now(), message };
    this.#deps.logger.warn({ username, status: answer.status, count }, "login was refused, perhaps by a gateway");
    return this.#restError(this.doubted);
  }

  #expectRested(): void {
    if (this.doubted !== undefined && this.#restMs(this.doubted) > 0) throw this.#restError(this.doubted);
  }

  /** If the pause seems longer than it should be, the clock was set back. */
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

  #withoutSecrets(answer: HttpAnswer): string {
    const { servicePassword, serviceCode } = this.#secrets;
    let said = serviceMessage(answer) || "no reason given";
    for (const secret of [servicePassword, serviceCode]) if (secret) said = said.replaceAll(secret, "***");
    return said;
  }
}

export function serviceLoginRefused(message: string): StopError {
  return new StopError("E_SERVICE_LOGIN", message);
}

/** Uses the stated expiry if it lies ahead. A clock that differs by more than the token's life makes it meaningless. */
function statedLifeMs(expiresAt: number | undefined, now: number): number {
  return expiresAt !== undefined && expiresAt > now ? expiresAt - now : Infinity;
}

function secondFactor(code: string): number | string {
  return /^\d+$/.test(code) ? Number(code) : code;
}

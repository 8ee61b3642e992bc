import { randomBytes } from "node:crypto";
import { RetryError } from "#model";
import type { HttpAnswer, HttpClient } from "#http";
import { answerError, failedExchange } from "./failures.ts";
import type { ServiceLogin, PasswordLogin } from "./login.ts";

/** Longest token life where neither a logout nor another login ends a token. */
export const SHORT_LIFE_MINUTES = 5;

/**
 * What makes the service refuse late requests of a lost daemon. `logout`: the token is logged out. `token name`: a new
 * login under the same name ends it. `expiry 5 min`: it only expires, so its life is short. `none`: a static token stays
 * valid.
 */
export const fences = [
  "logout",
  "token name",
  `expiry ${SHORT_LIFE_MINUTES} min`,
  "none (static SERVICE_TOKEN)",
] as const;
export type Fence = (typeof fences)[number];

const SCRATCH_LIFE_MINUTES = 1;

export interface FencingDeps {
  readonly http: HttpClient;
  readonly login: ServiceLogin;
  readonly settings: PasswordLogin;
  readonly logoutUrl: string;
  /** An address that a valid token may read, or that refuses it with a status other than 401. */
  readonly probeUrl: string;
}

/** Ends tokens, and tests whether that works. */
export class Fencing {
  readonly #deps: FencingDeps;

  constructor(deps: FencingDeps) {
    this.#deps = deps;
  }

  /** Tests it with at most two logins. They use their own token name, so that no other session ends. */
  async prove(): Promise<Fence> {
    const scratch = {
      ...this.#deps.settings,
      lifeTimeMinutes: SCRATCH_LIFE_MINUTES,
      lifeTimeRefresh: false,
      tokenName: `svcsync-fence-${randomBytes(4).toString("hex")}`,
    };
    const first = await this.#deps.login.run(scratch);
    if (!(await this.isAlive(first.token)))
      throw new RetryError("E_SERVICE_ANSWER", "the service logs in but answers 401 to the new token");
    await this.logOut(first.token);
    if (!(await this.isAlive(first.token))) return "logout";
    const second = await this.#deps.login.run(scratch);
    const fence = (await this.isAlive(first.token)) ? (`expiry ${SHORT_LIFE_MINUTES} min` as const) : "token name";
    await this.logOut(second.token);
    return fence;
  }

  /** Asks the service to end the token; {@link isAlive} tells whether it did. */
  async logOut(token: string): Promise<void> {
    await this.#call("POST", this.#deps.logoutUrl, token);
  }

  /** Whether the token still works. @throws {RetryError} when the service does not tell. */
  async isAlive(token: string): Promise<boolean> {
    const answer = await this.#call("GET", this.#deps.probeUrl, token);
    if (answer.status === 401) return false;
    if (answer.status >= 500 || answer.status === 429) throw answerError(answer, false, Date.now());
    return true;
  }

  async #call(method: "GET" | "POST", url: string, token: string): Promise<HttpAnswer> {
    try {
      const headers = { accept: "application/json", authorization: `Bearer ${token}` };
      return await this.#deps.http.call({ method, url, headers });
    } catch (thrown) {
      throw failedExchange(thrown, false);
    }
  }
}

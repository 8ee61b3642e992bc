import { randomBytes } from "node:crypto";
import { RetryError } from "#model";
import type { HttpAnswer, HttpClient } from "#http";
import { answerError, exchangeError } from "./failures.ts";
import type { Login, PasswordLogin } from "./login.ts";

/** Where neither a logout nor another login ends a token, no token lives longer. */
export const SHORT_LIFE_MINUTES = 5;

/**
 * What makes the service refuse requests that a lost daemon sends late. `logout`: the token is logged out. `token name`: a new
 * login under its name ends it. `expiry 5 min`: nothing but its end, so it is short. `none`: a static token stays valid.
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
  readonly login: Login;
  readonly settings: PasswordLogin;
  readonly logoutUrl: string;
  /** An address that a valid token may read, or is refused with a status other than 401. */
  readonly probeUrl: string;
}

/** Ends tokens, and finds out whether that works. */
export class Fencing {
  readonly #deps: FencingDeps;

  constructor(deps: FencingDeps) {
    this.#deps = deps;
  }

  /** Finds out with at most two logins. They use a token name of their own, so that no other session ends. */
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

  /** @throws {RetryError} when the service does not say. */
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
      throw exchangeError(thrown, false);
    }
  }
}

import type { IncomingHttpHeaders } from "node:http";
import { CookieJar } from "tough-cookie";

/**
 * Cookies of one client. Kept outside got: with got's own jar an answer never resolves when the server sets
 * a cookie (its issue 2444). Servers inside a company may have names without a dot, so public suffixes do not matter.
 */
export class Cookies {
  readonly #jar = new CookieJar(undefined, { rejectPublicSuffixes: false, looseMode: true });

  /** The Cookie header for an address, or undefined when there is nothing to send. */
  async header(url: string): Promise<string | undefined> {
    const text = await this.#jar.getCookieString(url);
    return text === "" ? undefined : text;
  }

  /** Keeps what a server set; what is not a cookie is left out. */
  async keep(url: string, headers: IncomingHttpHeaders): Promise<void> {
    for (const cookie of headers["set-cookie"] ?? []) await this.#jar.setCookie(cookie, url, { ignoreError: true });
  }
}

import { createHmac, randomBytes } from "node:crypto";
import { HOUR_MS, type Clock } from "#model";
import { isSame, type Proven } from "./credentials.ts";
import type { PageAccess, Visitor } from "./visitor.ts";

/** Length of a session: one working day. */
export const sessionMs = 12 * HOUR_MS;

/**
 * Stateless sessions: the signed cookie holds the user and the end of the session. It is valid at every replica and after
 * a restart; a change of the credentials ends all sessions. Forging one takes both the store and the credentials.
 */
export class Sessions {
  /** Another one for each installation: a browser keeps one cookie of a name for all ports of a machine. */
  readonly cookieName: string;
  readonly #key: Buffer;
  readonly #clock: Clock;

  constructor({ token, users }: PageAccess, secret: string, clock: Clock) {
    this.#key = createHmac("sha256", secret).update(JSON.stringify({ token, users })).digest();
    this.#clock = clock;
    this.cookieName = `svcsync_session_${this.#signature("name", "").slice(0, 8)}`;
  }

  /** The value of the cookie. */
  begin({ name, role }: Proven): string {
    const id = randomBytes(16).toString("base64url");
    const content = JSON.stringify({ id, name, role, endsAt: this.#clock.now() + sessionMs });
    const text = Buffer.from(content).toString("base64url");
    return `${text}.${this.#signature("session", text)}`;
  }

  /** The owner of a session cookie; undefined if it is not ours, or has expired. */
  read(cookie: string): Visitor | undefined {
    const [text = "", signature = ""] = cookie.split(".");
    if (!isSame(signature, this.#signature("session", text))) return undefined;
    // Only content that we signed ourselves gets here.
    const content: { name?: string; role: Visitor["role"]; endsAt: number } = JSON.parse(
      Buffer.from(text, "base64url").toString("utf8"),
    );
    if (content.endsAt <= this.#clock.now()) return undefined;
    return { name: content.name, role: content.role, csrf: this.csrf(text), hasSession: true };
  }

  /** The CSRF token of `owner`: a session, or a name given by a proxy. */
  csrf(owner: string): string {
    return this.#signature("form", owner);
  }

  #signature(purpose: string, text: string): string {
    return createHmac("sha256", this.#key).update(`${purpose}:${text}`).digest("base64url");
  }
}

import { createHmac, randomBytes } from "node:crypto";
import { HOUR_MS, type Clock } from "#model";
import { isSame, type Proven } from "./credentials.ts";
import type { EndedSessions } from "./ended-sessions.ts";
import type { PageAccess, Visitor } from "./visitor.ts";

/** Length of a session: one working day. */
export const sessionMs = 12 * HOUR_MS;

/** What a session's cookie says. */
interface Content {
  readonly id: string;
  readonly name?: string;
  readonly role: Visitor["role"];
  readonly endsAt: number;
}

/**
 * The signed cookie holds the user and the end of the session. It is valid at every process and after a restart, until its owner
 * logs out; a change of the credentials ends all sessions. Forging one takes both the store and the credentials.
 */
export class Sessions {
  /** Another one for each installation: a browser keeps one cookie of a name for all ports of a machine. */
  readonly cookieName: string;
  readonly #key: Buffer;
  readonly #clock: Clock;
  readonly #ended: EndedSessions;

  constructor({ token, users }: PageAccess, secret: string, clock: Clock, ended: EndedSessions) {
    this.#key = createHmac("sha256", secret).update(JSON.stringify({ token, users })).digest();
    this.#clock = clock;
    this.#ended = ended;
    this.cookieName = `svcsync_session_${this.#signature("name", "").slice(0, 8)}`;
  }

  /** The value of the cookie. */
  begin({ name, role }: Proven): string {
    const id = randomBytes(16).toString("base64url");
    const content = { id, name, role, endsAt: this.#clock.now() + sessionMs };
    const text = Buffer.from(JSON.stringify(content)).toString("base64url");
    return `${text}.${this.#signature("session", text)}`;
  }

  /** The owner of a session cookie; undefined if it is not ours, or has ended. */
  async read(cookie: string): Promise<Visitor | undefined> {
    const content = this.#contentOf(cookie);
    if (content === undefined || (await this.#ended.has(content.id))) return undefined;
    return { name: content.name, role: content.role, csrf: this.csrf(textOf(cookie)), hasSession: true };
  }

  /** Ends the session of a cookie for every copy of it. Does nothing if it is not ours, or has expired. */
  async end(cookie: string): Promise<void> {
    const content = this.#contentOf(cookie);
    if (content !== undefined) await this.#ended.add(content.id, content.endsAt);
  }

  #contentOf(cookie: string): Content | undefined {
    const text = textOf(cookie);
    const [, signature = ""] = cookie.split(".");
    if (!isSame(signature, this.#signature("session", text))) return undefined;
    // Only content that we signed ourselves gets here.
    const content: Content = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return content.endsAt <= this.#clock.now() ? undefined : content;
  }

  /** The CSRF token of `owner`: a session, or a name given by a proxy. */
  csrf(owner: string): string {
    return this.#signature("form", owner);
  }

  #signature(purpose: string, text: string): string {
    return createHmac("sha256", this.#key).update(`${purpose}:${text}`).digest("base64url");
  }
}

/** The signed part of a cookie. */
function textOf(cookie: string): string {
  return cookie.split(".", 1)[0] ?? "";
}

import { counted, isLoopback, MINUTE_MS, type Clock } from "#model";
import type { Context, Middleware } from "#server";
import type { NoteStore } from "#store";
import type { HostNames } from "./hosts.ts";
import { bearerOf, Credentials, isSame } from "./credentials.ts";
import { EndedSessions } from "./ended-sessions.ts";
import { Guesses, type Wait } from "./guesses.ts";
import { Sessions } from "./sessions.ts";
import { hasCredentials, type PageAccess, type Visitor } from "./visitor.ts";

export interface GateDeps {
  readonly access: PageAccess;
  /** As in the routes. */
  readonly pageSecret: string;
  /** The address that the server listens on. */
  readonly host: string;
  readonly names: HostNames;
  readonly clock: Clock;
  readonly notes: NoteStore;
}

/** Identifies visitors, and refuses what they may not do. */
export class Gate {
  readonly credentials: Credentials;
  readonly sessions: Sessions;
  readonly guesses: Guesses;
  readonly #deps: GateDeps;
  readonly #visitors = new WeakMap<Context, Visitor>();

  constructor(deps: GateDeps) {
    this.#deps = deps;
    this.credentials = new Credentials(deps.access);
    this.sessions = new Sessions(deps.access, deps.pageSecret, deps.clock, new EndedSessions(deps.notes, deps.clock));
    this.guesses = new Guesses(deps.clock);
  }

  /** Why the page is closed to everyone; undefined if it is open. */
  get closedBecause(): string | undefined {
    const { access, host } = this.#deps;
    if (hasCredentials(access) || access.isPublic || isLoopback(host)) return undefined;
    return `The page is closed: svcsync listens on ${host} (HEALTH_HOST) and the page has no credentials. Set PAGE_TOKEN or PAGE_USERS, or PAGE_PUBLIC=read if everybody who reaches the port may read all records.`;
  }

  /** Whether there are credentials to log in with. */
  get takesLogins(): boolean {
    const { token, users = [] } = this.#deps.access;
    return token !== undefined || users.length > 0;
  }

  /** Whether everyone gets answers to probes. */
  get opensProbes(): boolean {
    return this.#deps.access.probes !== "alive";
  }

  /** The visitor of a request; only behind {@link reading} or {@link acting}. */
  visitor(c: Context): Visitor {
    const known = this.#visitors.get(c);
    if (known === undefined) throw new TypeError("no gate before this route");
    return known;
  }

  /** Admits visitors who may read. Browsers are sent to the login; programs get an error. */
  readonly reading: Middleware = async (c, next) => {
    if (this.closedBecause !== undefined) return c.text(`${this.closedBecause}\n`, 403);
    const visitor = await this.#find(c);
    if (visitor !== undefined) {
      this.#visitors.set(c, visitor);
      return next();
    }
    const isPage = !/^\/(api\/|metrics$|readyz$)/.test(c.req.path) && this.takesLogins;
    if (isPage && c.req.method === "GET") return c.redirect(loginPath(c), 303);
    if (isPage && c.req.method === "POST") return loginEnded(c);
    const how = this.takesLogins
      ? "send PAGE_TOKEN as Authorization: Bearer"
      : "come through the proxy that logs people in";
    return c.text(`a login is needed: ${how}\n`, 401, { "www-authenticate": "Bearer" });
  };

  /**
   * Admits visitors who may act, after {@link reading}: forms of our own pages with the visitor's token, and programs
   * that send JSON, which no page of another site can do unasked.
   */
  readonly acting: Middleware = async (c, next) => {
    // All acts are POST requests; no other method changes anything.
    if (c.req.method !== "POST") return next();
    // No page shows a form to visitors without a login, so they had one when they loaded the page.
    if (this.loginOf(c) !== undefined && !c.req.path.startsWith("/api/")) return loginEnded(c);
    const refusal = await this.#refusal(c);
    return refusal === undefined ? next() : c.text(`${refusal}\n`, 403);
  };

  /** The login address for a visitor who reads without a login; only behind {@link reading}. */
  loginOf(c: Context): string | undefined {
    const { role, hasSession } = this.visitor(c);
    return role === "read" && !hasSession && this.takesLogins ? loginPath(c) : undefined;
  }

  /** The client's address, as far as it can be trusted. */
  addressOf(c: Context): string {
    const address = remoteAddress(c);
    const forwarded = c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim();
    return this.#isProxy(address) && forwarded !== undefined ? forwarded : address;
  }

  /** The session's cookie that the browser sent. */
  sessionCookie(c: Context): string | undefined {
    const prefix = `${this.sessions.cookieName}=`;
    const sent = c.req.header("cookie")?.split(/; */) ?? [];
    return sent.find((each) => each.startsWith(prefix))?.slice(prefix.length);
  }

  /** Whether one of our own pages sent the form. */
  isOwnPage(c: Context): boolean {
    return this.#deps.names.isOwnPage(c.env.incoming.headers);
  }

  async #find(c: Context): Promise<Visitor | undefined> {
    const { access, host } = this.#deps;
    const found = this.#byToken(c) ?? (await this.#bySession(c)) ?? this.#byProxy(c);
    if (found !== undefined) return found;
    const csrf = this.sessions.csrf("");
    if (access.isPublic) return { name: undefined, role: "read", csrf, hasSession: false };
    if (hasCredentials(access) || !isLoopback(host)) return undefined;
    return { name: undefined, role: "act", csrf, hasSession: false };
  }

  /**
   * A wrong token is not counted as a guess: one outdated script would lock out everyone behind its address, such as
   * Docker's gateway.
   */
  #byToken(c: Context): Visitor | undefined {
    const sent = bearerOf(c.req.header("authorization"));
    const proven = sent === undefined ? undefined : this.credentials.proveToken(sent);
    return proven && { ...proven, csrf: this.sessions.csrf(""), hasSession: false };
  }

  /** Without credentials, the store alone would be enough to forge a session. */
  async #bySession(c: Context): Promise<Visitor | undefined> {
    const cookie = this.takesLogins ? this.sessionCookie(c) : undefined;
    return cookie === undefined ? undefined : this.sessions.read(cookie);
  }

  #byProxy(c: Context): Visitor | undefined {
    const { proxy } = this.#deps.access;
    if (proxy === undefined || !this.#isProxy(remoteAddress(c))) return undefined;
    const name = c.req.header(proxy.header);
    if (name === undefined || name === "") return undefined;
    return { name, role: proxy.role, csrf: this.sessions.csrf(`proxy:${name}`), hasSession: false };
  }

  #isProxy(address: string): boolean {
    return this.#deps.access.proxy?.addresses.includes(address) ?? false;
  }

  async #refusal(c: Context): Promise<string | undefined> {
    const visitor = this.visitor(c);
    if (visitor.role !== "act") return "your login may read; acting needs the role act";
    const isProgram = c.req.path.startsWith("/api/");
    if (
      isProgram &&
      c.req.header("origin") === undefined &&
      c.req.header("content-type")?.startsWith("application/json")
    )
      return undefined;
    if (isProgram) return "send JSON with content-type: application/json, and no Origin";
    if (!this.isOwnPage(c)) return "only a page of svcsync may ask for this; scripts use the commands or /api";
    const { csrf } = await c.req.parseBody();
    if (typeof csrf === "string" && isSame(csrf, visitor.csrf)) return undefined;
    return "nothing was done: you logged in again, or who may log in was changed, after this form was shown";
  }
}

export function tooMany(c: Context, { why, ms }: Wait): Response {
  const text = ms < MINUTE_MS ? counted(Math.ceil(ms / 1000), "second") : counted(Math.ceil(ms / MINUTE_MS), "minute");
  return c.text(`${why} Try again in ${text}.\n`, 429, {
    "retry-after": String(Math.ceil(ms / 1000)),
  });
}

/** For a person whose login ended while a form was open. */
function loginEnded(c: Context): Response {
  return c.text("nothing was done: your login has ended. Log in, then do it again\n", 401);
}

/** A path of this site, whatever was sent, so that neither a login nor a link back leads to another site. */
export function ownPath(sent: unknown): string {
  return typeof sent === "string" && /^\/(?![/\\])[^\s\\]*$/.test(sent) ? sent : "/";
}

function loginPath(c: Context): string {
  const { pathname, search } = new URL(c.req.url);
  const here = `${pathname}${search}`;
  return here === "/" ? "/login" : `/login?next=${encodeURIComponent(here)}`;
}

/** IPv4 addresses in their usual form, however the socket spells them. */
function remoteAddress(c: Context): string {
  return (c.env.incoming.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
}

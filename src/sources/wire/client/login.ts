import { z } from "zod";
import { ParkError, RetryError, type Clock } from "#model";
import type { HttpAnswer, HttpClient } from "#http";
import { loginRefused, notJson, statusError } from "./web-errors.ts";
import type { AuthSettings } from "./web-settings.ts";

/** The proof of who we are, as headers. Cookies are kept by the HTTP client itself. */
export interface Login {
  /** Logs in where that is still to be done; however many callers wait, one login at a time. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /**
   * Forgets the session that gave `headers` and was refused; a newer one is kept.
   * False where there is none to renew: the credentials themselves are wrong, or the session is younger than `ageMs`.
   */
  forget(headers: Readonly<Record<string, string>>, ageMs?: number): boolean;
  /** Never to appear in an error. */
  readonly secrets: readonly string[];
}

const EARLY_MS = 60_000;
const tokenAnswer = z.object({ access_token: z.string(), expires_in: z.coerce.number().default(300) });

export interface LoginDeps {
  /** The base address of the source, with a slash at its end. */
  readonly baseUrl: string;
  readonly http: HttpClient;
  readonly clock: Clock;
  /** Told of the secrets that a login brings. */
  readonly hide: (...secrets: string[]) => void;
}

/** How a source logs in where a product has a way of its own. */
export type LoginMaker = (auth: AuthSettings, parts: LoginDeps) => Login;

export function openLogin(auth: AuthSettings, parts: LoginDeps): Login {
  const { baseUrl, http, clock } = parts;
  switch (auth.kind) {
    case "none":
      return fixed({}, []);
    case "basic": {
      const proof = Buffer.from(`${auth.username}:${auth.password}`).toString("base64");
      return fixed({ authorization: `Basic ${proof}` }, [auth.password, proof]);
    }
    case "bearer":
      return fixed({ authorization: `Bearer ${auth.token}` }, [auth.token]);
    case "header":
      return fixed({ [auth.name]: auth.value }, [auth.value]);
    case "oauth": {
      const { tokenUrl: url, clientId, clientSecret, scope } = auth;
      const client = { client_id: clientId, client_secret: clientSecret };
      const form = { grant_type: "client_credentials", ...client, ...(scope ? { scope } : {}) };
      return session([clientSecret], parts, async (signal) => {
        const answer = await http.call({ method: "POST", url, form, signal });
        refuseUnlessOk(answer, url, clock.now());
        const token = tokenAnswer.safeParse(jsonOf(answer, url));
        if (!token.success) throw new ParkError("E_SOURCE_LOGIN", `${url}: the answer holds no access_token`);
        const { access_token, expires_in } = token.data;
        const lifeMs = expires_in * 1000 - EARLY_MS;
        return { headers: { authorization: `Bearer ${access_token}` }, lifeMs, secrets: [access_token] };
      });
    }
    case "login": {
      const url = new URL(auth.url, baseUrl).href;
      return session(Object.values(auth.body), parts, async (signal) => {
        const answer = await http.call({ method: "POST", url, json: auth.body, signal });
        refuseUnlessOk(answer, url, clock.now());
        return { headers: {}, lifeMs: Number.POSITIVE_INFINITY };
      });
    }
  }
}

function fixed(headers: Record<string, string>, secrets: string[]): Login {
  return { headers: () => Promise.resolve(headers), forget: () => false, secrets };
}

/** What a login brought: headers for the requests that follow, for so long. */
export interface Session {
  readonly headers: Record<string, string>;
  readonly lifeMs: number;
  /** Never to appear anywhere, as the credentials themselves. */
  readonly secrets?: readonly string[];
}

/** A session that is begun by the first who needs it and renewed when it ends or is refused, once however many wait. */
export function session(
  secrets: readonly string[],
  { clock, hide }: LoginDeps,
  logIn: (signal: AbortSignal) => Promise<Session>,
): Login {
  type Begun = Session & { readonly until: number };
  let current: { readonly by: AbortSignal; readonly session: Promise<Begun> } | undefined;
  let headersInUse: Readonly<Record<string, string>> | undefined;
  let begunAt = 0;
  const begin = async (signal: AbortSignal): Promise<Begun> => {
    const begun = await logIn(signal);
    hide(...(begun.secrets ?? []));
    begunAt = clock.now();
    return { ...begun, until: clock.now() + begun.lifeMs };
  };
  return {
    secrets: secrets.filter((secret) => secret.length > 3),
    async headers(signal) {
      for (;;) {
        const isOurs = current === undefined;
        current ??= { by: signal, session: begin(signal) };
        const awaited = current;
        try {
          const { headers, until } = await awaited.session;
          // However short a session lasts, who began it may use it.
          if (isOurs || until > clock.now()) return (headersInUse = headers);
          if (current === awaited) current = undefined;
        } catch (thrown) {
          if (current === awaited) current = undefined;
          // Who began the login was called away: that is no answer to those who waited for it too.
          if (!awaited.by.aborted || signal.aborted) throw thrown;
        }
      }
    },
    forget(headers, ageMs = 0) {
      if (headers !== headersInUse) return true;
      if (clock.now() - begunAt < ageMs) return false;
      current = headersInUse = undefined;
      return true;
    },
  };
}

/** @throws {RetryError} E_SOURCE_ANSWER: a page of a proxy, for one, stands where the token should. */
export function jsonOf(answer: HttpAnswer, url: string): unknown {
  try {
    return JSON.parse(answer.text());
  } catch (cause) {
    throw notJson(answer, url, cause);
  }
}

/** 400 and 401 are the words of token endpoints and login pages for wrong credentials. */
export function refuseUnlessOk(answer: HttpAnswer, url: string, now: number): void {
  if (answer.ok) return;
  if (answer.status === 400 || answer.status === 401 || answer.status === 403) throw loginRefused(answer, url);
  if (answer.status === 429 || answer.status === 503) throw statusError(answer, url, now, []);
  throw new RetryError("E_SOURCE_FAILED", `${url}: the login was answered ${answer.status}`);
}

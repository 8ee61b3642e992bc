import { z } from "zod";
import { ParkError, RetryError, type Clock } from "#model";
import type { HttpAnswer, HttpClient } from "#http";
import { jsonOf } from "./json-answer.ts";
import { loginRefused, statusError } from "./web-errors.ts";
import type { AuthSettings } from "./web-settings.ts";

/** Logs in to a source and returns the credentials as headers. The HTTP client itself keeps cookies. */
export interface Login {
  /** Returns the headers of the session. Logs in if necessary; concurrent callers share one login. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /**
   * Forgets the session whose `headers` were refused, and keeps a newer one. Returns false if there is none to renew: the
   * credentials themselves are wrong, or the session is younger than `ageMs`.
   */
  forget(headers: Readonly<Record<string, string>>, ageMs?: number): boolean;
  /** Secrets that must never appear in an error. */
  readonly secrets: readonly string[];
}

/** A token is renewed so long before it ends, one that lives shortly at half of its life. */
const EARLY_MS = 60_000;
const tokenAnswer = z.object({ access_token: z.string(), expires_in: z.coerce.number().default(300) });

export interface LoginDeps {
  /** The source's base address, with a trailing slash. */
  readonly baseUrl: string;
  readonly http: HttpClient;
  readonly clock: Clock;
  /** Receives the secrets that a login returns. */
  readonly hide: (...secrets: string[]) => void;
  /** Answers to a login that mean "try again" although their status says otherwise. */
  readonly transient?: (answer: HttpAnswer) => boolean;
}

/** Opens the login of a product that has its own way to log in. */
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
        refuseUnlessOk(answer, url, clock.now(), { secrets: [clientSecret] });
        const token = tokenAnswer.safeParse(await jsonOf(answer, url));
        if (!token.success) throw new ParkError("E_SOURCE_LOGIN", `${url}: the answer holds no access_token`);
        const { access_token, expires_in } = token.data;
        const lifeMs = Math.max(expires_in * 1000 - EARLY_MS, expires_in * 500);
        return { headers: { authorization: `Bearer ${access_token}` }, lifeMs, secrets: [access_token] };
      });
    }
    case "login": {
      const url = new URL(auth.url, baseUrl).href;
      return session(Object.values(auth.body), parts, async (signal) => {
        const answer = await http.call({ method: "POST", url, json: auth.body, signal });
        const passing = parts.transient?.(answer);
        refuseUnlessOk(answer, url, clock.now(), { passing, secrets: Object.values(auth.body) });
        return { headers: {}, lifeMs: Number.POSITIVE_INFINITY };
      });
    }
  }
}

function fixed(headers: Record<string, string>, secrets: string[]): Login {
  return { headers: () => Promise.resolve(headers), forget: () => false, secrets };
}

/** The result of a login: headers for the requests that follow, and how long they are valid. */
export interface Session {
  readonly headers: Record<string, string>;
  readonly lifeMs: number;
  /** Secrets that must never appear anywhere, like the credentials themselves. */
  readonly secrets?: readonly string[];
}

/** A session that the first caller begins. It is renewed when it ends or is refused, once for all callers that wait. */
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
          // The caller that began a session may use it, however short it lasts.
          if (isOurs || until > clock.now()) return (headersInUse = headers);
          if (current === awaited) current = undefined;
        } catch (thrown) {
          if (current === awaited) current = undefined;
          // The caller that began the login was aborted. That does not answer the others that waited for it.
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

/**
 * Throws unless the login succeeded. Token endpoints and login pages answer wrong credentials with 400 or 401. `passing`: the answer
 * means "try again" although its status says otherwise. `secrets` are what was sent: the server's words must not repeat them.
 */
export function refuseUnlessOk(
  answer: HttpAnswer,
  url: string,
  now: number,
  { passing = false, secrets }: { passing?: boolean | undefined; secrets: readonly string[] },
): void {
  const { ok, status } = answer;
  if (ok) return;
  if (!passing && (status === 400 || status === 401 || status === 403)) throw loginRefused(answer, url, secrets);
  if (status === 429 || status === 503) throw statusError(answer, url, now, secrets);
  throw new RetryError("E_SOURCE_FAILED", `${url}: the login was answered ${status}`);
}

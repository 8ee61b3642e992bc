import { randomBytes } from "node:crypto";
import { MINUTE_MS, isJsonObject, type Clock, type Json } from "#model";
import type { Account, StaticToken } from "../account.ts";
import type { Switches } from "../switches.ts";
import { UNAUTHORIZED, json, refusalAnswer, type ApiResponse } from "./answer.ts";

const DEFAULT_LIFE_MINUTES = 15;
const MAXIMUM_LIFE_MINUTES = 44_640;
const DEFAULT_NAME = "default";
const TOKEN_BYTES = 24;
/** The latest moment that a date can hold: the stated expiry of a token that never expires. */
const NEVER = "9999-12-31T23:59:59.999Z";

interface Token {
  readonly account: Account;
  readonly name: string;
  readonly kind: "login" | "static";
  readonly lifeMs: number;
  readonly refresh: boolean;
  /** Epoch milliseconds; Infinity if it never expires. */
  expiresAt: number;
}

/** A token's facts, without the token itself. */
export interface TokenFacts {
  readonly username: string;
  readonly name: string;
  readonly kind: "login" | "static";
  readonly expiresAt: number | undefined;
}

/** Who may log in, and the tokens that are valid. */
export class ApiSessions {
  readonly #accounts: readonly Account[];
  readonly #statics: readonly StaticToken[];
  readonly #switches: Switches;
  readonly #clock: Clock;
  readonly #userId: (username: string) => number | undefined;
  readonly #tokens = new Map<string, Token>();

  constructor(
    accounts: readonly Account[],
    statics: readonly StaticToken[],
    switches: Switches,
    clock: Clock,
    userId: (username: string) => number | undefined,
  ) {
    this.#accounts = accounts;
    this.#statics = statics;
    this.#switches = switches;
    this.#clock = clock;
    this.#userId = userId;
    this.reset();
  }

  /** Ends all sessions and restores the static tokens. */
  reset(): void {
    this.#tokens.clear();
    for (const { token, username } of this.#statics) {
      const account = this.#accounts.find((account) => account.username === username);
      if (account === undefined) continue;
      const never = { lifeMs: Infinity, refresh: false, expiresAt: Infinity };
      this.#tokens.set(token, { account, name: "static", kind: "static", ...never });
    }
  }

  /** The account of an Authorization header, or undefined. Extends the token if the login asked for that. */
  account(header: string | undefined): Account | undefined {
    if (header === undefined || !header.startsWith("Bearer ")) return undefined;
    const text = header.slice("Bearer ".length);
    const token = this.#tokens.get(text);
    if (token === undefined) return undefined;
    if (token.expiresAt !== Infinity) {
      const now = this.#clock.now();
      if (token.expiresAt <= now) {
        this.#tokens.delete(text);
        return undefined;
      }
      if (token.refresh) token.expiresAt = now + token.lifeMs;
    }
    return token.account;
  }

  login(body: Json): ApiResponse {
    if (!isJsonObject(body)) return refusalAnswer(400, "invalid json data");
    const { username, password, name = DEFAULT_NAME, code = null } = body;
    const { lifeTime = DEFAULT_LIFE_MINUTES, lifeTimeRefresh = false } = body;
    if (typeof username !== "string" || username === "") return refusalAnswer(400, "username is required");
    if (typeof password !== "string" || password === "") return refusalAnswer(400, "password is required");
    if (typeof name !== "string" || name === "") return refusalAnswer(400, "name must be a text");
    if (
      typeof lifeTime !== "number" ||
      !Number.isInteger(lifeTime) ||
      lifeTime === 0 ||
      lifeTime > MAXIMUM_LIFE_MINUTES
    )
      return refusalAnswer(400, `lifeTime must be whole minutes, ${MAXIMUM_LIFE_MINUTES} at most`);
    if (typeof lifeTimeRefresh !== "boolean") return refusalAnswer(400, "lifeTimeRefresh must be a boolean");
    if (code !== null && !Number.isInteger(code)) return refusalAnswer(400, "code must be an integer");
    const account = this.#accounts.find((account) => account.username === username);
    if (account === undefined || account.password !== password) return UNAUTHORIZED;
    if (account.code !== undefined && code === null) return refusalAnswer(400, "code is required");
    if (account.code !== undefined && account.code !== code) return UNAUTHORIZED;
    return this.#open(account, name, lifeTime, lifeTimeRefresh);
  }

  logout(header: string | undefined): ApiResponse {
    if (this.#switches.logout === "effective") this.#tokens.delete(header?.slice("Bearer ".length) ?? "");
    return { status: 200, body: "" };
  }

  /** Ends login sessions, of one account or of all; tokens of the web interface only on request. */
  revoke(which: { username?: string; staticTokens?: boolean } = {}): number {
    let revoked = 0;
    for (const [text, token] of this.#tokens) {
      if (which.username !== undefined && token.account.username !== which.username) continue;
      if (token.kind === "static" && which.staticTokens !== true) continue;
      this.#tokens.delete(text);
      revoked += 1;
    }
    return revoked;
  }

  list(): TokenFacts[] {
    return [...this.#tokens.values()].map(({ account, name, kind, expiresAt }) => ({
      username: account.username,
      name,
      kind,
      expiresAt: expiresAt === Infinity ? undefined : expiresAt,
    }));
  }

  #forget(account: Account, name: string): void {
    for (const [text, token] of this.#tokens)
      if (token.kind === "login" && token.account === account && token.name === name) this.#tokens.delete(text);
  }

  #open(account: Account, name: string, lifeMinutes: number, refresh: boolean): ApiResponse {
    if (this.#switches.tokenName === "unique") this.#forget(account, name);
    const lifeMs = lifeMinutes < 0 ? Infinity : lifeMinutes * MINUTE_MS;
    const expiresAt = this.#clock.now() + lifeMs;
    const text = randomBytes(TOKEN_BYTES).toString("base64url");
    this.#tokens.set(text, { account, name, kind: "login", lifeMs, refresh, expiresAt });
    const expiry = lifeMs === Infinity ? NEVER : new Date(expiresAt).toISOString();
    return json({
      access_token: text,
      username: account.username,
      token_type: "Bearer",
      token_name: name,
      id: this.#userId(account.username) ?? null,
      expire_date: expiry,
    });
  }
}

import { z } from "zod";
import { StopError, type JsonObject, type ResourceName } from "#model";
import type { Method } from "./catalogue/resource.ts";

/** A person or program that may log in. */
export interface Account {
  readonly username: string;
  readonly password: string;
  /** Second factor: a login without it is refused. */
  readonly code?: number;
  /** Allowed methods per resource; `*` stands for every resource not named. Absent: everything is allowed. */
  readonly permissions?: Readonly<Record<ResourceName, readonly Method[]>>;
  /** For these resources, only records with exactly these values exist for this account. */
  readonly sees?: Readonly<Record<ResourceName, JsonObject>>;
}

/** A token created in the settings of the web interface: valid until it is revoked. */
export interface StaticToken {
  readonly token: string;
  readonly username: string;
}

/** The default account and token of a sandbox; they are public. */
export const DEFAULT_ACCOUNT: Account = { username: "sync", password: "sandbox" };
export const DEFAULT_TOKEN = "sandbox-token";

const methods = z.array(z.enum(["GET", "POST", "PUT", "DELETE"]));
const accountSchema = z.strictObject({
  username: z.string().min(1),
  password: z.string().min(1),
  code: z.int().exactOptional(),
  permissions: z.record(z.string(), methods).exactOptional(),
  sees: z.record(z.string(), z.record(z.string(), z.json())).exactOptional(),
});

/**
 * Parses an account as people type it: `user:password`, `user:password:code` with a second factor, or JSON with
 * permissions.
 * @throws {StopError} E_SANDBOX_ACCOUNT; the message never contains the password.
 */
export function accountFromText(text: string): Account {
  if (text.trimStart().startsWith("{")) return accountFromJson(text);
  const [, username, password, code] = /^([^:]+):([^:]+)(?::(\d+))?$/.exec(text) ?? [];
  if (username === undefined || password === undefined)
    throw new StopError(
      "E_SANDBOX_ACCOUNT",
      "this is not an account: expected user:password, user:password:code or JSON",
    );
  return { username, password, ...(code === undefined ? {} : { code: Number(code) }) };
}

function accountFromJson(text: string): Account {
  const parsed = accountSchema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const member = issue?.path.join(".") || "account";
  throw new StopError("E_SANDBOX_ACCOUNT", `this is not an account: ${member}: ${issue?.message ?? "invalid"}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would contain the text, and with it the password.
    throw new StopError("E_SANDBOX_ACCOUNT", "this is not an account: it begins like JSON and is not");
  }
}

/**
 * Parses a static token as people type it: `token@user`, or the token alone for the first account.
 * @throws {StopError} E_SANDBOX_ACCOUNT for a user without an account.
 */
export function tokenFromText(text: string, accounts: readonly Account[]): StaticToken {
  const at = text.lastIndexOf("@");
  const username = at < 0 ? accounts[0]?.username : text.slice(at + 1);
  const token = at < 0 ? text : text.slice(0, at);
  const known = accounts.map((account) => account.username);
  if (token === "" || username === undefined || !known.includes(username))
    throw new StopError(
      "E_SANDBOX_ACCOUNT",
      `this is not a token of an account: expected TOKEN or TOKEN@USER, with one of the users ${known.join(", ")}`,
    );
  return { token, username };
}

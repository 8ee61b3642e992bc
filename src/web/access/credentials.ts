import { createHash, timingSafeEqual } from "node:crypto";
import { hashPassword, isPasswordOf } from "./password-hash.ts";
import type { PageAccess, PageUser, Role } from "./visitor.ts";

/** The person that a login identified. */
export interface Proven {
  readonly name: string | undefined;
  readonly role: Role;
}

/** Checks tokens and passwords. An unknown user takes as long as a known one. */
export class Credentials {
  readonly #token: string | undefined;
  readonly #users: readonly PageUser[];
  #decoy: Promise<string> | undefined;
  /** Runs one check at a time: each takes 32 MiB and a third of a second of one core. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ token, users = [] }: PageAccess) {
    this.#token = token;
    this.#users = users;
  }

  /** Whether people log in with a name; otherwise only the token is asked for. */
  get hasUsers(): boolean {
    return this.#users.length > 0;
  }

  /** The token may be used as a password, without a name. */
  async prove(name: string, password: string): Promise<Proven | undefined> {
    if (name === "") return this.proveToken(password);
    const user = this.#users.find((each) => each.name === name);
    this.#decoy ??= hashPassword("no password has this hash");
    const hash = user?.hash ?? (await this.#decoy);
    const checked = this.#last.then(() => isPasswordOf(password, hash));
    this.#last = checked.catch(() => undefined);
    return (await checked) && user !== undefined ? { name, role: user.role } : undefined;
  }

  proveToken(token: string): Proven | undefined {
    return this.#token !== undefined && isSame(token, this.#token) ? { name: undefined, role: "act" } : undefined;
  }
}

/** The token in a header `Authorization: Bearer TOKEN`. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(.+)$/i.exec(authorization ?? "")?.[1];
}

/** Compares in constant time, whatever the lengths. */
export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** What a visitor of the page may do. */
export type Role = "read" | "act";

/** Who asks, as far as the page knows. */
export interface Visitor {
  /** For the audit; undefined where the page asked for no name. */
  readonly name: string | undefined;
  readonly role: Role;
  /** Belongs into every form; forms without it are refused. */
  readonly csrf: string;
  /** A session that can be ended with `/logout`. */
  readonly hasSession: boolean;
}

/** A person with a password of their own. */
export interface PageUser {
  readonly name: string;
  readonly role: Role;
  /** A line of {@link hashPassword}. */
  readonly hash: string;
}

/** Who may see the page. Without credentials only those on this machine may. */
export interface PageAccess {
  /** It allows acts. */
  readonly token?: string | undefined;
  readonly users?: readonly PageUser[];
  /** A proxy that logs people in and names them in a header; only requests from these addresses are believed. */
  readonly proxy?: { readonly header: string; readonly addresses: readonly string[]; readonly role: Role } | undefined;
  /** Everybody who reaches the port may read. */
  readonly isPublic?: boolean;
  /** What is answered without credentials: `all` probes, or `/healthz` alone. */
  readonly probes?: "all" | "alive";
}

export function hasCredentials({ token, users = [], proxy }: PageAccess): boolean {
  return token !== undefined || users.length > 0 || proxy !== undefined;
}

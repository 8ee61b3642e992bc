/** What a visitor of the page may do. */
export type Role = "read" | "act";

/** The visitor of a request, as far as the page knows. */
export interface Visitor {
  /** For the audit; undefined where the page asked for no name. */
  readonly name: string | undefined;
  readonly role: Role;
  /** Must be part of every form; forms without it are refused. */
  readonly csrf: string;
  /** The session can be ended with `/logout`. */
  readonly hasSession: boolean;
}

/** A person with their own password. */
export interface PageUser {
  readonly name: string;
  readonly role: Role;
  /** A hash made by {@link hashPassword}. */
  readonly hash: string;
}

/** Who may see the page. Without credentials, only visitors on this machine may. */
export interface PageAccess {
  /** This token allows acts. */
  readonly token?: string | undefined;
  readonly users?: readonly PageUser[];
  /** A proxy that logs people in and names them in a header. Only requests from these addresses are trusted. */
  readonly proxy?: { readonly header: string; readonly addresses: readonly string[]; readonly role: Role } | undefined;
  /** Everyone who reaches the port may read. */
  readonly isPublic?: boolean;
  /** What is served without credentials: `all` probes, or only `/healthz`. */
  readonly probes?: "all" | "alive";
}

export function hasCredentials({ token, users = [], proxy }: PageAccess): boolean {
  return token !== undefined || users.length > 0 || proxy !== undefined;
}

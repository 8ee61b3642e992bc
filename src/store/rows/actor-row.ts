import type { Actor } from "#model";

/** The three columns for the person who acted. */
export interface ActorRow {
  readonly actor: string;
  readonly via: Actor["via"];
  readonly why: string | null;
}

export function actorRow({ name, via, why }: Actor): ActorRow {
  return { actor: name, via, why: why ?? null };
}

export function actorOf({ actor, via, why }: ActorRow): Actor {
  return { name: actor, via, why: why ?? undefined };
}

import type { Actor } from "#model";

const channels: Readonly<Record<Actor["via"], string>> = { cli: "command", page: "page", api: "API" };

/** Who did something, and why: `by anna (command): "merged by hand"`. */
export function actorText({ name, via, why }: Actor): string {
  return `by ${name} (${channels[via]})${why === undefined ? "" : `: ${JSON.stringify(why)}`}`;
}

import type { Actor, StreamName } from "#model";
import type { ActStore, MatchStore } from "#store";

/** Releases streams: `adopt` binds what matches and creates the rest, `create-all` creates every record. */
export async function decideAdoption(
  { store }: { readonly store: { readonly acts: ActStore } & MatchStore },
  { streams, decision }: { readonly streams: readonly StreamName[]; readonly decision: "adopt" | "create-all" },
  by: Actor,
): Promise<void> {
  for (const stream of streams) {
    await store.acts.save(stream, { action: "release", outcome: decision }, by);
    await store.decideAdoption(stream, decision);
  }
}

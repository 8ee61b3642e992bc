import type { Stream } from "#mapping";
import { ParkError, type Actor } from "#model";
import { blindRemedy, type Matcher } from "#pipeline";
import type { ActStore, MatchStore } from "#store";

/**
 * Releases streams: `adopt` binds what matches and creates the rest, `create-all` creates every record.
 * @throws {ParkError} E_NOT_RESOLVABLE where nothing can be found by the match rules; nothing is decided then.
 */
export async function decideAdoption(
  { store, matcher }: { readonly store: { readonly acts: ActStore } & MatchStore; readonly matcher: Matcher },
  { streams, decision }: { readonly streams: readonly Stream[]; readonly decision: "adopt" | "create-all" },
  by: Actor,
): Promise<void> {
  if (decision === "adopt") await expectFindable(matcher, streams);
  for (const { name } of streams) {
    await store.acts.save(name, { action: "release", outcome: decision }, by);
    await store.decideAdoption(name, decision);
  }
}

async function expectFindable(matcher: Matcher, streams: readonly Stream[]): Promise<void> {
  const texts: string[] = [];
  for (const stream of streams) texts.push(...blindTexts(stream.name, await matcher.blindFields(stream)));
  if (texts.length > 0) throw new ParkError("E_NOT_RESOLVABLE", `${texts.join(" ")} Nothing was decided`);
}

/** What is wrong with match fields that no record of the service carries; nothing where there is none. */
export function blindTexts(stream: string, fields: readonly string[]): string[] {
  if (fields.length === 0) return [];
  return [
    `${stream}: none of the service's records carries ${fields.join(", ")}, so nothing can be found by it: ${blindRemedy(stream)}.`,
  ];
}

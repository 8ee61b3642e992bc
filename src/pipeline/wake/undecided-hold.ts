import { restoredNote, type MatchStore, type NoteStore, type Store } from "#store";
import type { Hold } from "./hold.ts";

/**
 * Holds, in replicas that do not lead, the streams that the leader's gate has not let through. The leader asks its gate itself.
 */
export function undecidedHold(store: MatchStore & NoteStore & Pick<Store, "replicas">): Hold {
  return {
    async find(_store, stream) {
      if (store.replicas.state.isLeader) return undefined;
      const [adoption, isRestored] = await Promise.all([store.adoption(stream), store.note(restoredNote)]);
      if (adoption !== undefined && isRestored !== true) return undefined;
      return {
        kind: "adoption",
        reason: "the leader has not let it through yet",
        remedy: "wait, or do what the leader's page says",
        needsPerson: false,
        polls: false,
      };
    },
  };
}

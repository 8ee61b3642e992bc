import type { Claim } from "../claim.ts";
import type { AnnouncedDeletion } from "../facts.ts";
import { announceDeletion, findTold, type ToldRow } from "../statements/deletions.ts";
import type { HeldRow } from "../statements/records.ts";
import { expectHeld, held, numberOf } from "./claim.ts";
import type { Step } from "./step.ts";

/** Notes that the record is about to be deleted, and counts the deletions of its stream with it. */
export function announceDeletionStep(
  claim: Claim,
  { since, confirmedAt, limit }: { readonly since: number; readonly confirmedAt: number; readonly limit: number },
  now: number,
): Step<{ held: HeldRow; told: ToldRow }, AnnouncedDeletion> {
  const { stream } = claim.id;
  return {
    record: claim.id,
    facts: {
      held: held(claim),
      told: [findTold({ record: numberOf(claim), stream, since, confirmedAt, limit, now })],
    },
    decide({ held: holder, told: [told] }) {
      const { id } = expectHeld(claim, holder);
      const toldAt = told?.told_at ?? now;
      const isConfirmed = toldAt <= confirmedAt;
      return {
        writes: [announceDeletion({ record: id, stream, now })],
        value: {
          toldAt,
          count: isConfirmed ? 0 : Math.min(limit, (told?.others ?? 0) + 1),
          isCounted: told?.behind === 0,
        },
        // Of two that are told at once, the second counts the first.
        touches: [`deletions of ${stream}`],
      };
    },
  };
}

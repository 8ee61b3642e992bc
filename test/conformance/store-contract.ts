import { describe } from "vitest";
import { describeActs } from "./store-acts.ts";
import { describeClaims } from "./store-claims.ts";
import { describeCluster } from "./store-cluster.ts";
import { describeDeletions } from "./store-deletions.ts";
import { describeFamily } from "./store-family.ts";
import { describeFreshness } from "./store-freshness.ts";
import { describeJournal } from "./store-journal.ts";
import { describeOpening } from "./store-opening.ts";
import { describeOutcomes } from "./store-outcomes.ts";
import { describeNaming } from "./store-naming.ts";
import { describeNotices } from "./store-notices.ts";
import { describePeople } from "./store-people.ts";
import { describePolling } from "./store-polling.ts";
import { describePrivacy } from "./store-privacy.ts";
import { describeReference } from "./store-reference.ts";
import { describeRemapping } from "./store-remapping.ts";
import { describeReturns } from "./store-returns.ts";
import type { MakePlace, StoreFeatures } from "./store-scene.ts";
import { describeRounds } from "./store-rounds.ts";
import { describeStandings } from "./store-standings.ts";
import { describeSweeps } from "./store-sweeps.ts";

/** Every promise of the store's contract, for one implementation. Each test asks for a place of its own. */
export function describeStore(name: string, makePlace: MakePlace, features: StoreFeatures = {}): void {
  describe(`${name} store`, () => {
    describePolling(makePlace);
    describeRemapping(makePlace);
    describeClaims(makePlace);
    describeCluster(makePlace);
    describeJournal(makePlace);
    describeOutcomes(makePlace);
    describeDeletions(makePlace);
    describeFamily(makePlace);
    describePeople(makePlace);
    describeActs(makePlace);
    describeRounds(makePlace);
    describeNaming(makePlace);
    describeSweeps(makePlace);
    describeReference(makePlace);
    describeFreshness(makePlace);
    describeNotices(makePlace);
    describePrivacy(makePlace);
    describeReturns(makePlace, features);
    describeStandings(makePlace);
    describeOpening(makePlace, features);
  });
}

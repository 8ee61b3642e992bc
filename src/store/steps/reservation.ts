import type { RecordId } from "#model";
import type { Claim } from "../claim.ts";
import { findNameOwner, freeNames, reserveName } from "../statements/fence.ts";
import type { HeldRow } from "../statements/records.ts";
import { expectHeld, held, numberOf } from "./claim.ts";
import type { Step } from "./step.ts";

/**
 * Reserves names for the create of a claimed record, in place of those that it had. The first name identifies the record: if another one has
 * reserved it, gives that one and reserves nothing.
 */
export function reserveNames(
  claim: Claim,
  names: readonly [first: string, ...others: string[]],
): Step<{ held: HeldRow; owner: RecordId }, RecordId | undefined> {
  const [name] = names;
  return {
    record: claim.id,
    facts: { held: held(claim), owner: [findNameOwner({ record: numberOf(claim), name })] },
    decide({ held: holder, owner: [owner] }) {
      const { id: record } = expectHeld(claim, holder);
      if (owner !== undefined) return { writes: [], value: { stream: owner.stream, key: owner.key } };
      return {
        writes: [freeNames({ record }), ...names.map((each) => reserveName({ record, name: each }))],
        value: undefined,
        // Of two that ask for a name at once, the second finds the first.
        touches: names.map((each) => `name ${each}`),
      };
    },
  };
}

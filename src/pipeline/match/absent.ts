import type { Stream } from "#mapping";
import { recordLabel, type Projection } from "#model";
import type { Found } from "./candidates.ts";
import { naturalKey } from "./natural-key.ts";
import { shownAs } from "./shown.ts";

/** The code of a record that is left out because its stream creates none and the service does not have it. */
export const ABSENT = "E_CREATE_NEVER";

/** How the reason begins. */
const NEVER = "create: never:";

/** Why a record is left out whose stream creates none. `others`: who has its natural key in the service. */
export function absentReason(
  { resource, match }: Pick<Stream, "resource" | "match">,
  wanted: Projection,
  { owners: [owner] }: Pick<Found, "owners">,
): string {
  const rules = match.filter((rule) => naturalKey(rule, wanted) !== undefined);
  if (rules.length === 0) {
    const fields = [...new Set(match.flatMap((rule) => rule.fields))].join(", ");
    return `${NEVER} the record has no natural key (${fields}) by which the service's ${resource} could be found`;
  }
  const keys = rules.map((rule) => shownAs({ match: [rule] }, wanted).match).join(" or ");
  if (owner) return `${NEVER} ${resource} with ${keys} belongs to ${recordLabel(owner)}`;
  return `${NEVER} the service has no ${resource} with ${keys}`;
}

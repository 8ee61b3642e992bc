import type { Projection } from "#model";
import { isEmpty, sameValue } from "#service";
import { edited, type Edited } from "./difference.ts";
import type { Wanted } from "./resolver.ts";

/** What decides which of the wanted fields are written. */
type Owned = Pick<Wanted, "projection" | "createOnly" | "emptyOnly" | "shared">;

/**
 * The update of a record with fields that are only filled, without asking the service: fields are filled that had no value when they were last
 * seen, or were never seen.
 */
export function editedAsSeen(last: Projection, doubts: Projection | undefined, wanted: Owned): Edited {
  const asked = unfilled(last, doubts, wanted);
  const isLeft = (name: string) => !asked.includes(name) || !isEmpty(last[name]);
  return edited(last, doubts, leaving(wanted, [...wanted.emptyOnly].filter(isLeft)));
}

/** The fields to be filled that may be empty in the service. */
export function unfilled(last: Projection, doubts: Projection | undefined, { emptyOnly, projection }: Owned): string[] {
  return [...emptyOnly].filter((name) => {
    const inDoubt = doubts !== undefined && name in doubts;
    return !isEmpty(projection[name]) && (inDoubt || !sameValue(projection[name], last[name]));
  });
}

/** `wanted`, of which these fields are left as they are. */
export function leaving<Fields extends Owned>(wanted: Fields, fields: Iterable<string>): Fields {
  return { ...wanted, createOnly: new Set([...wanted.createOnly, ...fields]) };
}

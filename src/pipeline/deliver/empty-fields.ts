import type { Projection } from "#model";
import { isEmpty, sameValue } from "#service";
import type { BoundClaim } from "#store";
import { ownedPart } from "../match/found-records.ts";
import type { Presence } from "../match/presence.ts";
import { isShownEmpty } from "../match/shown.ts";
import { edited, type Edited } from "./difference.ts";
import type { Wanted } from "./resolver.ts";

/** Fields that are only filled: they are written while the service has no value there, and never overwrite one. */
export class EmptyFields {
  readonly #presence: Pick<Presence, "read">;

  constructor(presence: Pick<Presence, "read">) {
    this.#presence = presence;
  }

  /**
   * Computes the update of a bound record. Reads the fields that it would fill: the service's value counts as last written, and a
   * field that the service does not show is left alone. Returns undefined when the record to be read is gone.
   */
  async edited(claim: BoundClaim, last: Projection, wanted: Wanted, signal: AbortSignal): Promise<Edited | undefined> {
    const doubts = claim.inFlight?.fields;
    const asked = unfilled(last, doubts, wanted);
    if (asked.length === 0) return edited(last, doubts, leaving(wanted, wanted.emptyOnly));
    const { resource, serviceId } = claim.binding;
    const record = await this.#presence.read(resource, serviceId, asked, signal, wanted.projection);
    if (!record) return undefined;
    const projection = Object.fromEntries(asked.map((name) => [name, wanted.projection[name]!]));
    const held = { ...last, ...ownedPart(record, { ...wanted, projection }) };
    const isFree = (name: string) => asked.includes(name) && isShownEmpty(record, name);
    return edited(
      held,
      doubts,
      leaving(
        wanted,
        [...wanted.emptyOnly].filter((name) => !isFree(name)),
      ),
    );
  }
}

/** The same without asking the service: fields are filled that had no value when they were last seen, or were never seen. */
export function editedAsSeen(last: Projection, doubts: Projection | undefined, wanted: Wanted): Edited {
  const asked = unfilled(last, doubts, wanted);
  const isLeft = (name: string) => !asked.includes(name) || !isEmpty(last[name]);
  return edited(last, doubts, leaving(wanted, [...wanted.emptyOnly].filter(isLeft)));
}

/** The fields to be filled that may be empty in the service. */
function unfilled(last: Projection, doubts: Projection | undefined, { emptyOnly, projection }: Wanted): string[] {
  return [...emptyOnly].filter((name) => {
    const inDoubt = doubts !== undefined && name in doubts;
    return !isEmpty(projection[name]) && (inDoubt || !sameValue(projection[name], last[name]));
  });
}

/** `wanted`, of which these fields are left as they are. */
function leaving(wanted: Wanted, fields: Iterable<string>): Wanted {
  return { ...wanted, createOnly: new Set([...wanted.createOnly, ...fields]) };
}

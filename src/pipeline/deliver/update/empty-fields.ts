import type { Projection } from "#model";
import type { BoundClaim } from "#store";
import { ownedPart } from "../../counterpart/found-records.ts";
import type { Presence } from "../../counterpart/presence.ts";
import { isShownEmpty } from "../../match/shown.ts";
import { edited, type Edited } from "../../wanted/difference.ts";
import { leaving, unfilled } from "../../wanted/filled.ts";
import type { Wanted } from "../../wanted/resolver.ts";

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

import { ParkError, type Json, type Projection, type ResourceName, type ServiceId } from "#model";
import type { MatchRule, Stream } from "#mapping";
import { sameValue, type Service, type Written } from "#service";
import { linkId } from "../../counterpart/found-records.ts";
import { loosened, naturalKey } from "../../match/natural-key.ts";
import type { Wanted } from "../../wanted/resolver.ts";

type Dropped = Written["dropped"][number];

/**
 * Dropped fields that a record cannot do without: references, and parts of its natural key. Without them it belongs to
 * another record, or is not found again. A key in another spelling is not lost.
 */
export class LostFields {
  readonly #service: Pick<Service, "read">;
  /** Fields, by stream, that answers omit although the record has them. */
  readonly #omitted = new Set<string>();

  constructor(service: Pick<Service, "read">) {
    this.#service = service;
  }

  /** The lost ones among the fields that a write dropped, as the service shows them. */
  async among(
    stream: Pick<Stream, "name" | "resource" | "match">,
    { references }: Pick<Wanted, "references">,
    { dropped, serviceId }: Pick<Written, "dropped" | "serviceId">,
    signal: AbortSignal,
  ): Promise<readonly Dropped[]> {
    const lost: Dropped[] = [];
    for (const each of dropped) {
      if (!references.has(each.field) && !isPartOfKey(stream.match, each.field)) continue;
      const shown = each.found === undefined ? await this.#shown(stream, each, serviceId, signal) : each;
      if (shown !== undefined && (references.has(each.field) || !isRespelled(shown))) lost.push(shown);
    }
    return lost;
  }

  /** What the record holds in a field that the answer omits; undefined if it holds what was sent, or cannot be read. */
  async #shown(
    { name, resource }: Pick<Stream, "name" | "resource">,
    { field, sent }: Dropped,
    serviceId: ServiceId,
    signal: AbortSignal,
  ): Promise<Dropped | undefined> {
    const omitted = `${name}/${field}`;
    if (this.#omitted.has(omitted)) return undefined;
    const record = await this.#service.read(resource, serviceId, [field], signal).catch(() => undefined);
    if (record === undefined) return undefined;
    if (!sameValue(sent, record[field])) return { field, sent, found: record[field] };
    this.#omitted.add(omitted);
    return undefined;
  }
}

/** The projection as the service holds it: a lost field keeps what the service shows, and is sent again. */
export function withoutLost(projection: Projection, lost: readonly Dropped[]): Projection {
  const held: Record<string, Json> = { ...projection };
  for (const { field, found } of lost)
    if (found === undefined) delete held[field];
    else held[field] = linkId(found);
  return held;
}

/** The error of a record whose lost fields the service dropped again, when nothing else was sent. */
export function fieldDropped(resource: ResourceName, serviceId: ServiceId, lost: readonly Dropped[]): ParkError {
  const texts = lost.map(
    ({ field, sent, found }) => `${field} (sent ${JSON.stringify(sent)}, found ${JSON.stringify(found ?? null)})`,
  );
  const message = `the service answered 200 and did not keep ${texts.join(", ")} of ${resource} ${serviceId}`;
  const details = { resource, serviceId, fields: lost.map(({ field }) => field) };
  return new ParkError("E_FIELD_DROPPED", message, { details });
}

function isPartOfKey(rules: readonly MatchRule[], field: string): boolean {
  return rules.some(({ fields }) => fields.includes(field));
}

function isRespelled({ field, sent, found }: Dropped): boolean {
  const rule = loosened({ fields: [field], compare: "exact" });
  const key = naturalKey(rule, { [field]: sent });
  return key !== undefined && key === naturalKey(rule, { [field]: found ?? null });
}

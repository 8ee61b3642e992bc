import type { JsonObject, ResourceName, ServiceId } from "#model";
import type { Logger } from "#telemetry";
import { serviceIdOf } from "../dialect/values.ts";
import { ServiceRefusal } from "../transport/failures.ts";

/** The field that names the ticket which a ticket was merged into. Other resources are never merged. */
const MERGED_TO: Readonly<Record<ResourceName, string>> = { ticket: "mergedToTicket" };

/** The resources whose records people can merge. */
export const mergeable: readonly ResourceName[] = Object.keys(MERGED_TO);

/** The fields to request so that a record shows whether it was merged into another one. */
export function mergeFields(resource: ResourceName): readonly string[] {
  const field = MERGED_TO[resource];
  return field === undefined ? [] : [field];
}

/** The record that this one was merged into; undefined if it was not merged, or does not show it. */
export function mergedInto(resource: ResourceName, record: JsonObject): ServiceId | undefined {
  return serviceIdOf(record[MERGED_TO[resource] ?? ""]);
}

/**
 * Requests the field that shows merges together with others. Works without it on a service that refuses its name: that is
 * believed after two refusals with it, with an accepted request without it in between. One refusal may come from a gateway.
 */
export class MergeQuestion {
  readonly #logger: Logger;
  readonly #taken = new Set<ResourceName>();
  readonly #suspected = new Set<ResourceName>();
  readonly #givenUp = new Set<ResourceName>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Sends a request that asks for the fields in `extra` as well. A refused request was not carried out. */
  async ask<Answer>(resource: ResourceName, send: (extra: readonly string[]) => Promise<Answer>): Promise<Answer> {
    const extra = mergeFields(resource);
    if (extra.length === 0 || this.#givenUp.has(resource)) return send([]);
    try {
      const answer = await send(extra);
      this.#taken.add(resource);
      return answer;
    } catch (thrown) {
      if (!(thrown instanceof ServiceRefusal) || thrown.status !== 400 || this.#taken.has(resource)) throw thrown;
    }
    const answer = await send([]);
    if (this.#suspected.has(resource)) this.#giveUp(resource);
    this.#suspected.add(resource);
    return answer;
  }

  #giveUp(resource: ResourceName): void {
    this.#givenUp.add(resource);
    this.#logger.warn({ resource, fields: [...mergeFields(resource)] }, "merges cannot be seen in this service");
  }
}

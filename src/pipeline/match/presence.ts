import { RetryError, type Binding, type Projection, type ResourceName, type ServiceId } from "#model";
import { isRefusal, type Service, type ServiceRecord } from "#service";
import type { Claim, RecordStore } from "#store";

/** Records of the same resource that vouch for the service: should people have deleted one, the next is asked for. */
const WITNESSES = 3;

/**
 * Whether records are there. "Not there" is believed only from a service that shows, before and after, other records that are
 * known to be there: a gateway may answer 404 to everything, and then what is there would be created again.
 */
export class Presence {
  readonly #store: Pick<RecordStore, "boundIds" | "record">;
  readonly #service: Pick<Service, "read" | "vouch">;

  constructor(store: Pick<RecordStore, "boundIds" | "record">, service: Pick<Service, "read" | "vouch">) {
    this.#store = store;
    this.#service = service;
  }

  /**
   * The record as the service shows it, or undefined when it is gone for sure.
   * @throws {WaitError} E_SERVICE_DOUBTED when the service does not show what is known to be there.
   */
  async read(
    resource: ResourceName,
    serviceId: ServiceId,
    fields: readonly string[],
    signal: AbortSignal,
    /** Where a path nests the resource, ids of records above are taken from here. */
    above?: Projection,
  ): Promise<ServiceRecord | undefined> {
    const shown = await this.#service.read(resource, serviceId, fields, signal, above);
    if (shown !== undefined) return shown;
    await this.vouch(resource, serviceId, signal);
    const again = await this.#service.read(resource, serviceId, fields, signal, above);
    if (again === undefined) await this.vouch(resource, serviceId, signal);
    return again;
  }

  /**
   * The service said that a record is not there: so it must not be.
   * @throws {RetryError} E_SERVICE_ANSWER when the service shows it; `cause` is what it had said.
   */
  async expectGone({ resource, serviceId }: Binding, signal: AbortSignal, cause?: unknown): Promise<void> {
    if ((await this.read(resource, serviceId, ["id"], signal)) === undefined) return;
    const message = `the service says that ${resource} ${serviceId} is gone, and shows it`;
    throw new RetryError("E_SERVICE_ANSWER", message, { cause });
  }

  /**
   * Asks the service for what is known to be there, besides the record that is in question.
   * @throws {WaitError} E_SERVICE_DOUBTED when its refusals cannot be believed now.
   */
  async vouch(resource: ResourceName, besides: ServiceId | undefined, signal: AbortSignal): Promise<boolean> {
    const known = await this.#store.boundIds(resource, WITNESSES + 1);
    return this.#service.vouch(resource, known.filter((id) => id !== besides).slice(0, WITNESSES), signal);
  }

  /**
   * Rethrows what a delivery threw. A refusal is believed while the service vouches for itself, when it is in its own words or
   * came at the delivery before too: one that comes from something in between passes, and would park whatever met it. That the
   * tenant has no such resource is never believed while the service shows it.
   */
  sober(
    claim: Pick<Claim, "id" | "binding">,
    resource: ResourceName,
    signal: AbortSignal,
  ): (thrown: unknown) => Promise<never> {
    return async (thrown) => {
      if (!isRefusal(thrown) || signal.aborted) throw thrown;
      const { code, message, status } = thrown;
      const isShown = await this.vouch(resource, claim.binding?.serviceId, signal);
      if (code !== "E_RESOURCE_UNKNOWN" || !isShown) {
        if (thrown.isOwnWord) throw thrown;
        const last = (await this.#store.record(claim.id))?.error;
        if (last?.code === code && last.details["status"] === status) throw thrown;
      }
      throw new RetryError(code, message, { cause: thrown, details: { ...thrown.details, status } });
    };
  }
}

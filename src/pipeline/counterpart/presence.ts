import { errorFacts, RetryError, type Binding, type Projection, type ResourceName, type ServiceId } from "#model";
import { isRefusal, type Service, type ServiceRecord } from "#service";
import type { Claim, RecordStore } from "#store";

/** How many other records of the resource may vouch for the service. If people deleted one, the next is tried. */
const WITNESSES = 3;
/** How many records are remembered that did not vouch, of each resource. */
const SILENT_MOST = 100;

/**
 * Finds out whether records exist. Believes "not there" only if the service, before and after, shows other records that are known
 * to exist: a gateway may answer 404 to everything, and existing records would then be created again.
 */
export class Presence {
  readonly #store: Pick<RecordStore, "boundIds" | "record">;
  readonly #service: Pick<Service, "read" | "vouch">;
  /** Records that the service did not show, by resource: people may have deleted them, so the next proof asks others. */
  readonly #silent = new Map<ResourceName, ReadonlySet<ServiceId>>();

  constructor(store: Pick<RecordStore, "boundIds" | "record">, service: Pick<Service, "read" | "vouch">) {
    this.#store = store;
    this.#service = service;
  }

  /**
   * Returns the record as the service shows it, or undefined when it is certainly gone.
   * @throws {WaitError} E_SERVICE_DOUBTED when the service does not show records that are known to exist.
   */
  async read(
    resource: ResourceName,
    serviceId: ServiceId,
    fields: readonly string[],
    signal: AbortSignal,
    /** Supplies the ids of the parents when the resource's path is nested. */
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
   * Expects that a record is gone after the service said so.
   * @throws {RetryError} E_SERVICE_ANSWER when the service shows it after all; `cause` is the error that said it was gone.
   */
  async expectGone({ resource, serviceId }: Binding, signal: AbortSignal, cause?: unknown): Promise<void> {
    if ((await this.read(resource, serviceId, ["id"], signal)) === undefined) return;
    const message = `the service says that ${resource} ${serviceId} is gone, but still shows it`;
    throw new RetryError("E_SERVICE_ANSWER", message, { cause });
  }

  /**
   * Asks the service for records that are known to exist, other than the record in question.
   * @throws {WaitError} E_SERVICE_DOUBTED when its refusals cannot be believed now.
   */
  async vouch(resource: ResourceName, besides: ServiceId | undefined, signal: AbortSignal): Promise<boolean> {
    const silent = this.#silent.get(resource) ?? new Set();
    const bound = await this.#store.boundIds(resource, WITNESSES + 1 + silent.size);
    const others = bound.filter((id) => id !== besides);
    const unasked = others.filter((id) => !silent.has(id));
    const isLeft = unasked.length > 0 && silent.size < SILENT_MOST;
    const known = (isLeft ? unasked : others).slice(0, WITNESSES);
    try {
      return await this.#service.vouch(resource, known, signal);
    } catch (thrown) {
      if (errorFacts(thrown).code === "E_SERVICE_DOUBTED")
        this.#silent.set(resource, new Set([...(isLeft ? silent : []), ...known]));
      throw thrown;
    }
  }

  /**
   * Returns a handler that rethrows a delivery's error. A refusal is believed only if the service vouches for itself, and if the
   * refusal is in its own words or came at the delivery before, too. Any other refusal becomes a RetryError: it may come from
   * something in between, which will pass, and would park every record that meets it. "The tenant has no such resource" is never
   * believed while the service shows the resource.
   */
  verifyRefusal(
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

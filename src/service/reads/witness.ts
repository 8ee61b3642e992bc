import { SyncError, WaitError, type Json, type ResourceName, type ServiceId } from "#model";
import { commonResources } from "../catalogue/catalogue.ts";
import { ServiceRefusal } from "../transport/failures.ts";
import type { ReadDeps } from "./records.ts";
import { pageIn, recordIn, type Page } from "./reading.ts";
import { serviceIdOf } from "../dialect/values.ts";

/**
 * Tells whether a refusal comes from the service itself. A gateway in between may answer 404, 400 or 403 to every
 * request; then it also refuses records that are known to exist.
 */
export class Witness {
  readonly #deps: ReadDeps;

  constructor(deps: ReadDeps) {
    this.#deps = deps;
  }

  /**
   * Returns true when the service shows the resource itself, false when only other resources answer.
   * @throws {WaitError} E_SERVICE_DOUBTED when it shows nothing that must exist.
   */
  async vouch(resource: ResourceName, known: readonly ServiceId[], signal: AbortSignal): Promise<boolean> {
    for (const id of known) if (await this.#shows(resource, id, true, signal)) return true;
    let page = await this.#list(resource, signal);
    if (page === undefined && known.length === 0 && (await this.#showsOthers(resource, signal))) {
      // The cause of the list's refusal may have ended before the other records were requested.
      page = await this.#list(resource, signal);
      if (page === undefined) return false;
    }
    // An empty list has already proven itself.
    if (page?.rows.length === 0) return true;
    const first = serviceIdOf(page?.rows[0]);
    if (first !== undefined && (await this.#shows(resource, first, false, signal))) return true;
    const what = page === undefined ? "its list" : `${first ?? "a record without an id"}, which its list shows`;
    throw new WaitError(
      "E_SERVICE_DOUBTED",
      `the service refuses ${resource} records that are known to be there, and ${what}: its refusals are not believed now`,
      { details: { resource, known: [...known] } },
    );
  }

  async #showsOthers(resource: ResourceName, signal: AbortSignal): Promise<boolean> {
    for (const other of commonResources)
      if (other !== resource && (await this.#list(other, signal)) !== undefined) return true;
    return false;
  }

  async #shows(resource: ResourceName, id: ServiceId, isKnown: boolean, signal: AbortSignal): Promise<boolean> {
    const body = await this.#ask(
      resource,
      await this.#deps.paths.record(resource, id, {}),
      { fields: "id" },
      isKnown,
      signal,
    );
    return serviceIdOf(recordIn(body, resource)) === id;
  }

  /** Undefined when the list is refused, or cannot be requested without a parent. */
  async #list(resource: ResourceName, signal: AbortSignal): Promise<Page | undefined> {
    const { paths, dialect, brand } = this.#deps;
    if (paths.isNested(resource)) return undefined;
    const body = await this.#ask(
      resource,
      await paths.collection(resource, {}),
      { fields: "id", limit: "1" },
      false,
      signal,
    );
    return pageIn(body, resource, dialect, brand);
  }

  /** Undefined when the request is refused. */
  async #ask(
    resource: ResourceName,
    url: string,
    query: Readonly<Record<string, string>>,
    isKnown: boolean,
    signal: AbortSignal,
  ): Promise<Json | undefined> {
    try {
      const call = { method: "GET", resource, url, query, repeat: "never", isKnown, signal } as const;
      return (await this.#deps.transport.send(call)).body;
    } catch (thrown) {
      if (thrown instanceof ServiceRefusal) return undefined;
      if (thrown instanceof SyncError && thrown.code === "E_SERVICE_DOUBTED") return undefined;
      throw thrown;
    }
  }
}

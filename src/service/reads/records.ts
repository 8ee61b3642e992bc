import { ParkError, RetryError, type JsonObject, type ResourceName, type ServiceId } from "#model";
import type { ServiceDialect } from "#settings";
import { resourceFacts } from "../catalogue/catalogue.ts";
import type { Brand } from "../dialect/brand.ts";
import { fieldsParameter, type CustomFields } from "../dialect/custom-fields.ts";
import type { Paths, AncestorIds } from "../dialect/paths.ts";
import { serviceIdOf } from "../dialect/values.ts";
import { saysGone, ServiceRefusal, unknownResource } from "../transport/failures.ts";
import type { Sender } from "../transport/transport.ts";
import { mergeFields, type MergeQuestion } from "./merges.ts";
import { insteadOf, isNothing, recordIn } from "./reading.ts";

export interface ReadDeps {
  readonly transport: Sender;
  readonly paths: Paths;
  readonly dialect: ServiceDialect;
  readonly brand: Brand;
}

/** Reads and deletes single records, and recognises every way in which the service says that a record does not exist. */
export class Records {
  readonly #deps: ReadDeps;
  readonly #customFields: CustomFields;
  readonly #merges: MergeQuestion;

  constructor(deps: ReadDeps, customFields: CustomFields, merges: MergeQuestion) {
    this.#deps = deps;
    this.#merges = merges;
    this.#customFields = customFields;
  }

  /**
   * The record; undefined when a read of its id alone is answered 404, 410, 400, or 200 with nothing. A refusal of a read
   * with other fields may concern the fields.
   * @throws {ServiceRefusal} with the service's own message when it refuses the fields of a record that it has.
   * @throws {RetryError} E_SERVICE_ANSWER when the answer is not the record that was requested.
   */
  async read(
    resource: ResourceName,
    id: ServiceId,
    fields: readonly string[],
    signal: AbortSignal,
    scope: AncestorIds = {},
  ): Promise<JsonObject | undefined> {
    let record: JsonObject | undefined;
    try {
      record = await this.#asked(resource, id, fields, signal, scope);
    } catch (thrown) {
      if (!(thrown instanceof ServiceRefusal) || !mayBeGone(thrown)) throw thrown;
      if (isIdAlone(fields) || (await this.isGone(resource, id, thrown, signal, scope))) return undefined;
      throw thrown;
    }
    if (record === undefined) {
      if (isIdAlone(fields) || (await this.read(resource, id, ID_ALONE, signal, scope)) === undefined) return undefined;
      throw nothingShown(resource, id, fields);
    }
    await this.#fillParent(resource, id, record, fields, scope);
    await this.#customFields.spread(resource, [record], fields, signal);
    return record;
  }

  /** Whether a refused request means that its record does not exist: only a read of the id alone tells. */
  async isGone(
    resource: ResourceName,
    id: ServiceId,
    refusal: ServiceRefusal,
    signal: AbortSignal,
    scope: AncestorIds = {},
  ): Promise<boolean> {
    return mayBeGone(refusal) && (await this.read(resource, id, ID_ALONE, signal, scope)) === undefined;
  }

  /** Does without the field that shows merges where the service refuses its name. */
  #asked(
    resource: ResourceName,
    id: ServiceId,
    fields: readonly string[],
    signal: AbortSignal,
    scope: AncestorIds,
  ): Promise<JsonObject | undefined> {
    const others = fields.filter((field) => !mergeFields(resource).includes(field));
    if (others.length === fields.length) return this.#shown(resource, id, fields, signal, scope);
    const send = (extra: readonly string[]) => this.#shown(resource, id, [...others, ...extra], signal, scope);
    return this.#merges.ask(resource, send);
  }

  /** The answered record; undefined for an answer that holds nothing. */
  async #shown(
    resource: ResourceName,
    id: ServiceId,
    fields: readonly string[],
    signal: AbortSignal,
    scope: AncestorIds,
  ): Promise<JsonObject | undefined> {
    const { transport, paths, brand } = this.#deps;
    const { body } = await transport.send({
      method: "GET",
      resource,
      url: await paths.record(resource, id, scope),
      query: { fields: brand.outward(fieldsParameter(fields)) },
      repeat: "quick",
      signal,
    });
    const record = recordIn(body, resource);
    if (record === undefined && !isNothing(body)) throw otherAnswer(resource, id, insteadOf(body));
    if (record !== undefined && serviceIdOf(record) !== id) throw otherAnswer(resource, id, `${serviceIdOf(record)}`);
    return record;
  }

  /** Adds the field that names the parent, where the path states it and the answer does not. */
  async #fillParent(
    resource: ResourceName,
    id: ServiceId,
    record: JsonObject,
    fields: readonly string[],
    scope: AncestorIds,
  ): Promise<void> {
    const field = resourceFacts(resource).parent?.field;
    if (field === undefined || !fields.includes(field) || record[field] !== undefined) return;
    const parentId = (await this.#deps.paths.above(resource, id, scope))[field];
    if (parentId !== undefined) record[field] = parentId;
  }

  /**
   * Interprets the refusal of a collection. Below a parent that is gone, nothing can be listed or created; otherwise a
   * 404 says that the tenant does not have the resource.
   */
  async refused(
    resource: ResourceName,
    scope: AncestorIds,
    refusal: ServiceRefusal,
    signal: AbortSignal,
  ): Promise<{ readonly refusal: ServiceRefusal; readonly isParentGone: boolean }> {
    const parent = this.#deps.paths.isNested(resource) ? resourceFacts(resource).parent : undefined;
    const parentId = parent && serviceIdOf(scope[parent.field] ?? scope["parent"]);
    if (parentId !== undefined && mayBeGone(refusal))
      if ((await this.read(parent!.resource, parentId, ID_ALONE, signal, scope)) === undefined)
        return { refusal: parentGone(resource, `${parent!.resource} ${parentId}`, refusal), isParentGone: true };
    return { refusal: refusal.status === 404 ? unknownResource(resource, refusal) : refusal, isParentGone: false };
  }

  /** Deletes a record with one request. A record that does not exist counts as deleted. */
  async remove(
    resource: ResourceName,
    id: ServiceId,
    signal: AbortSignal,
  ): Promise<{ status: number; durationMs: number }> {
    if (resourceFacts(resource).neverDeletes) throw neverDeletes(resource);
    const { transport, paths } = this.#deps;
    const startedAt = performance.now();
    try {
      const url = await paths.record(resource, id, {});
      const { status } = await transport.send({ method: "DELETE", resource, url, repeat: "never", signal });
      return { status, durationMs: performance.now() - startedAt };
    } catch (thrown) {
      if (!(thrown instanceof ServiceRefusal)) throw thrown;
      if (!(await this.isGone(resource, id, thrown, signal))) throw thrown;
      return { status: thrown.status, durationMs: performance.now() - startedAt };
    }
  }
}

/** The only question whose refusal says that a record does not exist. */
const ID_ALONE = ["id"];

function isIdAlone(fields: readonly string[]): boolean {
  return fields.every((field) => field === "id");
}

/** A 404 or 400 may mean a missing record, or a request that the service does not take. */
function mayBeGone(refusal: ServiceRefusal): boolean {
  return saysGone(refusal) || refusal.status === 400;
}

function otherAnswer(resource: ResourceName, asked: ServiceId, found: string): RetryError {
  const text = `the service was asked for ${resource} ${asked} and answered with ${found}: is DIALECT_RECORD_PATH right?`;
  return new RetryError("E_SERVICE_ANSWER", text, { details: { resource } });
}

function nothingShown(resource: ResourceName, id: ServiceId, fields: readonly string[]): RetryError {
  const text = `the service has ${resource} ${id} and answers nothing when it is asked for ${fields.join(", ")}`;
  return new RetryError("E_SERVICE_ANSWER", text, { details: { resource, serviceId: id } });
}

function parentGone(resource: ResourceName, above: string, cause: ServiceRefusal): ServiceRefusal {
  const { status, isOwnWord, details } = cause;
  const message = `the service no longer has ${above}, and its ${resource} can only be there below it`;
  return new ServiceRefusal("E_SERVICE_REFUSED", message, status, { cause, details, isOwnWord });
}

function neverDeletes(resource: ResourceName): ParkError {
  const instead = resourceFacts(resource).deactivates ? ": set its field deactivated to true instead" : "";
  const text = `the service never lets a ${resource} be deleted${instead}`;
  return new ParkError("E_SERVICE_REFUSED", text, { details: { resource } });
}

import { RetryError, type Json, type JsonObject, type ResourceName, type ServiceId } from "#model";
import { resourceFacts } from "./catalogue.ts";
import { droppedFields } from "./compare.ts";
import type { NaturalKey, Written } from "./contract.ts";
import type { CustomFields } from "./custom-fields.ts";
import { ServiceRefusal, unknownResource } from "./failures.ts";
import { fieldsParameter } from "./fields.ts";
import type { ReadParts } from "./lists.ts";
import { recordIn } from "./reading.ts";
import type { Exchange } from "./transport.ts";
import { idOf, isEmpty } from "./values.ts";

type Find = (resource: ResourceName, key: NaturalKey, signal: AbortSignal) => Promise<ServiceId[]>;

/** Creating: one POST, never repeated, and the new id in whatever way the tenant tells it. */
export class Creates {
  readonly #parts: ReadParts;
  readonly #customFields: CustomFields;
  readonly #find: Find;
  #answersRecords = false;

  constructor(parts: ReadParts, customFields: CustomFields, find: Find) {
    this.#parts = parts;
    this.#customFields = customFields;
    this.#find = find;
  }

  async create(resource: ResourceName, fields: JsonObject, signal: AbortSignal): Promise<Written> {
    const { paths, dialect } = this.#parts;
    const startedAt = performance.now();
    const sent = without(fields, paths.fieldsInPath(resource));
    const exchange = await this.#post(resource, fields, sent, signal);
    const serviceId = newId(exchange, resource) ?? (await this.#lookUp(resource, fields, signal));
    paths.remember(resource, serviceId, fields);
    const answered = dialect.createAnswer === "record" ? this.#comparable(exchange, resource) : undefined;
    const record = answered && (await this.#spread(resource, answered, Object.keys(sent), signal));
    return {
      serviceId,
      dropped: record === undefined ? [] : droppedFields(resource, sent, record),
      status: exchange.status,
      durationMs: performance.now() - startedAt,
    };
  }

  /** The record is created, whatever becomes of a look-up that only serves the comparison: then nothing is compared. */
  async #spread(resource: ResourceName, record: JsonObject, names: readonly string[], signal: AbortSignal) {
    try {
      await this.#customFields.spread(resource, [record], names, signal);
      return record;
    } catch {
      return undefined;
    }
  }

  /** An answer with nothing but an id shows what was dropped only on a tenant that was seen to answer records. */
  #comparable({ body }: Exchange, resource: ResourceName): JsonObject | undefined {
    const record = recordIn(body, resource);
    if (record !== undefined && Object.keys(record).length > 1) this.#answersRecords = true;
    return this.#answersRecords ? record : undefined;
  }

  async #post(resource: ResourceName, scope: JsonObject, sent: JsonObject, signal: AbortSignal): Promise<Exchange> {
    const { transport, paths, brand, dialect } = this.#parts;
    const body = await this.#customFields.combine(resource, sent, signal);
    const asked =
      dialect.createAnswer === "record" ? { fields: brand.outward(fieldsParameter(Object.keys(sent))) } : {};
    try {
      return await transport.send({
        method: "POST",
        resource,
        url: paths.collection(resource, scope),
        query: asked,
        body: brand.encode(body),
        repeat: "never",
        signal,
      });
    } catch (thrown) {
      if (thrown instanceof ServiceRefusal && thrown.status === 404) throw unknownResource(resource, thrown);
      throw thrown;
    }
  }

  /** The answer named no id: the record is found by the natural key that was sent, or its creation stays unknown. */
  async #lookUp(resource: ResourceName, fields: JsonObject, signal: AbortSignal): Promise<ServiceId> {
    const names = resourceFacts(resource).match.find((key) => key.every((name) => !isEmpty(fields[name])));
    const ids = names === undefined ? [] : await this.#find(resource, naturalKey(names, fields), signal).catch(unknown);
    if (ids.length === 1 && ids[0] !== undefined) return ids[0];
    const found = names === undefined ? "and the record has no natural key" : `and ${ids.length} records have its key`;
    throw new RetryError(
      "E_CREATE_UNKNOWN",
      `the service answered the create of a ${resource} without an id, ${found}`,
      {
        outcomeUnknown: true,
        details: { resource, ids },
      },
    );

    function unknown(cause: unknown): never {
      throw new RetryError("E_CREATE_UNKNOWN", `a created ${resource} could not be looked up`, {
        outcomeUnknown: true,
        cause,
      });
    }
  }
}

function naturalKey(names: readonly string[], fields: JsonObject): NaturalKey {
  return Object.fromEntries(names.map((name): [string, Json] => [name, fields[name] ?? null]));
}

/** The id in the record, as the whole answer, or at the end of the Location header. */
function newId({ body, headers }: Exchange, resource: ResourceName): ServiceId | undefined {
  const fromBody = idOf(recordIn(body, resource) ?? (typeof body === "object" ? undefined : body));
  return fromBody ?? idOf(headers.location?.split(/[?#]/, 1)[0]?.replace(/\/+$/, "").split("/").at(-1));
}

export function without(fields: JsonObject, names: readonly string[]): JsonObject {
  if (names.length === 0) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

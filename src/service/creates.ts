import { RetryError, type JsonObject, type ResourceName, type ServiceId } from "#model";
import { resourceFacts } from "./catalogue.ts";
import { droppedFields } from "./compare.ts";
import type { NaturalKey, Written } from "./contract.ts";
import type { CustomFields } from "./custom-fields.ts";
import { ServiceRefusal, unknownResource } from "./failures.ts";
import { fieldsParameter } from "./fields.ts";
import type { ReadParts } from "./lists.ts";
import { recordIn } from "./reading.ts";
import type { Records } from "./records.ts";
import { matches } from "./scan.ts";
import type { Exchange } from "./transport.ts";
import { idOf, isEmpty, sameValue } from "./values.ts";

type Find = (resource: ResourceName, key: NaturalKey, signal: AbortSignal) => Promise<ServiceId[]>;

/**
 * Creating: one POST, never repeated, and the new id in whatever way the tenant tells it. An id that does not come with the
 * record is believed once the record behind it shows what was sent.
 */
export class Creates {
  readonly #parts: ReadParts;
  readonly #customFields: CustomFields;
  readonly #records: Pick<Records, "read">;
  readonly #find: Find;
  #answersRecords = false;

  constructor(parts: ReadParts, customFields: CustomFields, records: Pick<Records, "read">, find: Find) {
    this.#parts = parts;
    this.#customFields = customFields;
    this.#records = records;
    this.#find = find;
  }

  async create(resource: ResourceName, fields: JsonObject, signal: AbortSignal): Promise<Written> {
    const { paths, dialect } = this.#parts;
    const startedAt = performance.now();
    const sent = without(fields, paths.fieldsInPath(resource));
    const exchange = await this.#post(resource, fields, sent, signal);
    const serviceId =
      idWithRecord(exchange, resource, sent) ?? (await this.#identify(exchange, resource, fields, signal));
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
        url: await paths.collection(resource, scope),
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

  /** The record behind the id that was answered, if it is the one that was sent; else the one with its natural key. */
  async #identify(
    exchange: Exchange,
    resource: ResourceName,
    fields: JsonObject,
    signal: AbortSignal,
  ): Promise<ServiceId> {
    const key = naturalKey(resource, fields);
    const named = namedId(exchange, resource);
    let found: ServiceId[] = [];
    try {
      if (named !== undefined && (await this.#isIt(resource, named, key, fields, signal))) return named;
      if (key !== undefined) found = await this.#find(resource, key, signal);
    } catch (cause) {
      throw unknown(resource, "and could not be looked up", [], cause);
    }
    if (found.length === 1) return found[0]!;
    const why = key === undefined ? "and the record has no natural key" : `and ${found.length} records have its key`;
    throw unknown(resource, why, found);
  }

  /** Without a natural key, one field that holds what was sent has to do. */
  async #isIt(
    resource: ResourceName,
    id: ServiceId,
    key: NaturalKey | undefined,
    fields: JsonObject,
    signal: AbortSignal,
  ): Promise<boolean> {
    const names = Object.keys(key ?? fields);
    const record = await this.#records.read(resource, id, names, signal, fields);
    if (record === undefined) return false;
    return key === undefined
      ? names.some((name) => !isEmpty(fields[name]) && sameValue(fields[name], record[name]))
      : matches(record, key);
  }
}

function unknown(resource: ResourceName, why: string, ids: readonly ServiceId[], cause?: unknown): RetryError {
  const message = `the service answered the create of a ${resource} without an id that could be proved, ${why}`;
  return new RetryError("E_CREATE_UNKNOWN", message, {
    outcomeUnknown: true,
    details: { resource, ids: [...ids] },
    cause,
  });
}

/** The first natural key of the resource that the fields fill. */
function naturalKey(resource: ResourceName, fields: JsonObject): NaturalKey | undefined {
  const names = resourceFacts(resource).match.find((key) => key.every((name) => !isEmpty(fields[name])));
  return names && Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}

/** The id of an answered record that shows something of what was sent. */
function idWithRecord({ body }: Exchange, resource: ResourceName, sent: JsonObject): ServiceId | undefined {
  const record = recordIn(body, resource);
  return record && Object.keys(sent).some((name) => (name.split(".")[0] ?? name) in record) ? idOf(record) : undefined;
}

/** An id in a record that shows nothing else, as the whole answer, or at the end of the Location header. */
function namedId({ body, headers }: Exchange, resource: ResourceName): ServiceId | undefined {
  const fromBody = idOf(recordIn(body, resource) ?? (typeof body === "object" ? undefined : body));
  return fromBody ?? idOf(headers.location?.split(/[?#]/, 1)[0]?.replace(/\/+$/, "").split("/").at(-1));
}

export function without(fields: JsonObject, names: readonly string[]): JsonObject {
  if (names.length === 0) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

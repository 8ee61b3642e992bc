import { RetryError, type JsonObject, type ResourceName, type ServiceId } from "#model";
import { resourceFacts } from "../catalogue/catalogue.ts";
import type { Written } from "../contract.ts";
import { fieldsParameter, type CustomFields } from "../dialect/custom-fields.ts";
import { serviceIdOf, isEmpty, sameKeyPart, sameValue } from "../dialect/values.ts";
import type { ReadDeps } from "../reads/records.ts";
import { recordIn } from "../reads/reading.ts";
import type { Records } from "../reads/records.ts";
import { ServiceRefusal } from "../transport/failures.ts";
import type { Exchange } from "../transport/transport.ts";
import { droppedFields } from "./compare.ts";

/**
 * Creates records: one POST, never repeated, and the new id in whatever form the tenant returns it. An id that comes
 * without the record is accepted only if the record behind it shows what was sent. Without such an id the outcome is
 * unknown, and the caller looks the record up in its index of natural keys.
 */
export class Creates {
  readonly #deps: ReadDeps;
  readonly #customFields: CustomFields;
  readonly #records: Pick<Records, "read" | "refused">;
  #answersRecords = false;

  constructor(deps: ReadDeps, customFields: CustomFields, records: Pick<Records, "read" | "refused">) {
    this.#deps = deps;
    this.#customFields = customFields;
    this.#records = records;
  }

  async create(resource: ResourceName, fields: JsonObject, signal: AbortSignal): Promise<Written> {
    const { paths, dialect } = this.#deps;
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

  /** The record exists even if this lookup, which serves only the comparison, fails; then nothing is compared. */
  async #spread(resource: ResourceName, record: JsonObject, names: readonly string[], signal: AbortSignal) {
    try {
      await this.#customFields.spread(resource, [record], names, signal);
      return record;
    } catch {
      return undefined;
    }
  }

  /** An answer with nothing but an id shows dropped fields only on a tenant that is known to return records. */
  #comparable({ body }: Exchange, resource: ResourceName): JsonObject | undefined {
    const record = recordIn(body, resource);
    if (record !== undefined && Object.keys(record).length > 1) this.#answersRecords = true;
    return this.#answersRecords ? record : undefined;
  }

  async #post(resource: ResourceName, scope: JsonObject, sent: JsonObject, signal: AbortSignal): Promise<Exchange> {
    const { transport, paths, brand, dialect } = this.#deps;
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
      if (!(thrown instanceof ServiceRefusal)) throw thrown;
      throw (await this.#records.refused(resource, scope, thrown, signal)).refusal;
    }
  }

  /**
   * The answered id, if the record behind it is the one that was sent.
   * @throws {RetryError} E_CREATE_UNKNOWN, with its outcome unknown.
   */
  async #identify(
    exchange: Exchange,
    resource: ResourceName,
    fields: JsonObject,
    signal: AbortSignal,
  ): Promise<ServiceId> {
    const id = namedId(exchange, resource);
    if (id === undefined) throw unknown(resource, "no usable id was answered");
    try {
      if (await this.#shows(resource, id, fields, signal)) return id;
    } catch (cause) {
      throw unknown(resource, `${resource} ${id} could not be read`, cause);
    }
    throw unknown(resource, `${resource} ${id} is another record`);
  }

  /** Compares the natural key; without one, a single field that shows what was sent has to do. */
  async #shows(resource: ResourceName, id: ServiceId, fields: JsonObject, signal: AbortSignal): Promise<boolean> {
    const key = resourceFacts(resource).match.find((names) => names.every((name) => !isEmpty(fields[name])));
    const names = key ?? Object.keys(fields);
    const record = await this.#records.read(resource, id, names, signal, fields);
    if (record === undefined) return false;
    return key === undefined
      ? names.some((name) => !isEmpty(fields[name]) && sameValue(fields[name], record[name]))
      : key.every((name) => sameKeyPart(fields[name] ?? null, record[name]));
  }
}

function unknown(resource: ResourceName, why: string, cause?: unknown): RetryError {
  const message = `the service carried out the create of a ${resource}, but it is not known under which id: ${why}`;
  return new RetryError("E_CREATE_UNKNOWN", message, { outcomeUnknown: true, details: { resource }, cause });
}

/** The id of an answered record that shows something of what was sent. */
function idWithRecord({ body }: Exchange, resource: ResourceName, sent: JsonObject): ServiceId | undefined {
  const record = recordIn(body, resource);
  return record && Object.keys(sent).some((name) => (name.split(".")[0] ?? name) in record)
    ? serviceIdOf(record)
    : undefined;
}

/** An id without a record: as the whole answer, in an otherwise empty record, or at the end of the Location header. */
function namedId({ body, headers }: Exchange, resource: ResourceName): ServiceId | undefined {
  const fromBody = serviceIdOf(recordIn(body, resource) ?? (typeof body === "object" ? undefined : body));
  const place = headers.location?.split(/[?#]/, 1)[0];
  return fromBody ?? serviceIdOf(place?.split("/").findLast((part) => part !== ""));
}

export function without(fields: JsonObject, names: readonly string[]): JsonObject {
  if (names.length === 0) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

import {
  errorFacts,
  ParkError,
  RetryError,
  type Json,
  type JsonObject,
  type ResourceName,
  type ServiceId,
} from "#model";
import type { Logger } from "#telemetry";
import type { Patch, Written } from "../contract.ts";
import { fieldsParameter, type CustomFields } from "../dialect/custom-fields.ts";
import type { Moved, AncestorIds } from "../dialect/paths.ts";
import { serviceIdOf } from "../dialect/values.ts";
import type { ReadDeps } from "../reads/records.ts";
import { mergedInto, mergeFields, type MergeQuestion } from "../reads/merges.ts";
import { recordIn } from "../reads/reading.ts";
import type { Records } from "../reads/records.ts";
import { ServiceRefusal } from "../transport/failures.ts";
import type { Exchange } from "../transport/transport.ts";
import { ArrayEdits } from "./array-edits.ts";
import { droppedArrays, droppedFields } from "./compare.ts";
import { without } from "./creates.ts";
import { goneError } from "./gone-error.ts";
import { Moves, splitMoved } from "./moves.ts";

/** Partial edits: sends only the given fields, and asks the answer to show them. */
export class Edits {
  readonly #deps: ReadDeps;
  readonly #customFields: CustomFields;
  readonly #records: Records;
  readonly #arrays: ArrayEdits;
  readonly #moves: Moves;
  readonly #merges: MergeQuestion;

  constructor(deps: ReadDeps, customFields: CustomFields, records: Records, merges: MergeQuestion, logger: Logger) {
    this.#merges = merges;
    this.#deps = deps;
    this.#customFields = customFields;
    this.#records = records;
    this.#moves = new Moves(deps, records);
    this.#arrays = new ArrayEdits(deps.dialect.arrayUpdate, logger);
  }

  /**
   * Edits a record.
   * @throws {ParkError} E_RECORD_GONE when the service does not have the record; E_PARENT_CHANGED, with nothing sent,
   * when the record is nested below another parent.
   * @throws {RetryError} E_RECORD_GONE, with its outcome unknown, when the edit was answered but the record is not
   * shown.
   */
  async update(resource: ResourceName, id: ServiceId, patch: Patch, signal: AbortSignal): Promise<Written> {
    const startedAt = performance.now();
    const moved = await this.#deps.paths.moved(resource, id, patch.fields);
    if (moved !== undefined) throw parentChanged(resource, id, moved);
    const scope: AncestorIds = patch.fields;
    const given = splitMoved(resource, without(patch.fields, this.#deps.paths.fieldsInPath(resource)));
    const { others: sent } = given;
    // First, because the service may refuse it: nothing is sent then.
    const move = isNothing(given.moved) ? undefined : await this.#moves.move(resource, id, given.moved, scope, signal);
    if (move !== undefined && isNothing(sent) && isNothing(patch.arrays))
      return { serviceId: id, ...move, durationMs: performance.now() - startedAt };
    const combined = await this.#customFields.combine(resource, sent, signal);
    const names = [...Object.keys(sent), ...Object.keys(patch.arrays)];
    let status = 0;
    const put = async (arrays: Readonly<Record<string, Json>>, plain: boolean): Promise<JsonObject> => {
      const written = await this.#put(
        resource,
        id,
        plain ? { ...combined, ...arrays } : { ...arrays },
        names,
        scope,
        signal,
      );
      status = written.status;
      return written.record;
    };
    const read = async () => {
      const record = await this.#records.read(resource, id, Object.keys(patch.arrays), signal, scope);
      if (record === undefined) throw goneError(resource, id);
      return record;
    };
    const record = await this.#arrays.write(resource, patch.arrays, put, read);
    const mergedTo = mergedInto(resource, record);
    return {
      serviceId: id,
      dropped: [
        ...(move?.dropped ?? []),
        ...droppedFields(resource, sent, record),
        ...droppedArrays(patch.arrays, record),
      ],
      ...(mergedTo === undefined ? {} : { mergedTo }),
      status,
      durationMs: performance.now() - startedAt,
    };
  }

  /** Sends one PUT and returns the record afterwards: from the answer, or read where the answer does not show it. */
  async #put(
    resource: ResourceName,
    id: ServiceId,
    body: JsonObject,
    names: readonly string[],
    scope: AncestorIds,
    signal: AbortSignal,
  ): Promise<{ record: JsonObject; status: number }> {
    const { transport, paths, brand } = this.#deps;
    let exchange: Exchange;
    try {
      const url = await paths.record(resource, id, scope);
      exchange = await this.#merges.ask(resource, (extra) => {
        const query = { fields: brand.outward(fieldsParameter([...names, ...extra])) };
        // An edit without an answer may still arrive, after a later one: the caller has to know.
        return transport.send({
          method: "PUT",
          resource,
          url,
          query,
          body: brand.encode(body),
          repeat: "never",
          signal,
        });
      });
    } catch (thrown) {
      if (thrown instanceof ServiceRefusal && (await this.#records.isGone(resource, id, thrown, signal, scope)))
        throw goneError(resource, id, thrown);
      throw thrown;
    }
    const record = await this.#written(exchange, resource, id, names, scope, signal);
    // It may only be hidden for a moment, and then it holds what was sent.
    if (record === undefined)
      throw new RetryError("E_RECORD_GONE", `${resource} ${id} was written and is not shown afterwards`, {
        outcomeUnknown: true,
        details: { resource, serviceId: id },
      });
    return { record, status: exchange.status };
  }

  /**
   * The record after its edit.
   * @throws {RetryError} E_SERVICE_ANSWER, with its outcome unknown: that nothing can be read does not undo the edit.
   */
  async #written(
    { body }: Exchange,
    resource: ResourceName,
    id: ServiceId,
    names: readonly string[],
    scope: AncestorIds,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    try {
      const answered = shown(body, resource, id, names);
      if (answered === undefined)
        return await this.#records.read(resource, id, [...names, ...mergeFields(resource)], signal, scope);
      await this.#customFields.spread(resource, [answered], names, signal);
      return answered;
    } catch (cause) {
      const message = `${resource} ${id} was written and could not be read afterwards: ${errorFacts(cause).message}`;
      throw new RetryError("E_SERVICE_ANSWER", message, { outcomeUnknown: true, details: { resource }, cause });
    }
  }
}

/** The answered record, unless it is another one or lacks a written field: what an answer omits, a read may show. */
function shown(
  body: Json | undefined,
  resource: ResourceName,
  id: ServiceId,
  names: readonly string[],
): JsonObject | undefined {
  const record = recordIn(body, resource);
  if (record === undefined || serviceIdOf(record) !== id) return undefined;
  return names.every((name) => (name.split(".")[0] ?? name) in record) ? record : undefined;
}

function isNothing(fields: object): boolean {
  return Object.keys(fields).length === 0;
}

function parentChanged(resource: ResourceName, id: ServiceId, { field, from, to }: Moved): ParkError {
  const wanted = to === undefined ? "no longer belongs below any" : `belongs below ${field} ${to} now`;
  const message = `${resource} ${id} is below ${field} ${from} in the service and ${wanted}; its address keeps it where it is`;
  return new ParkError("E_PARENT_CHANGED", message, {
    details: { resource, serviceId: id, field, from, to: to ?? null },
  });
}

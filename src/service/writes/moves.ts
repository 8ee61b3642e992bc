import { errorFacts, RetryError, type Json, type JsonObject, type ResourceName, type ServiceId } from "#model";
import { resourceFacts } from "../catalogue/catalogue.ts";
import type { Patch } from "../contract.ts";
import type { AncestorIds } from "../dialect/paths.ts";
import { serviceIdOf, isEmpty, sameValue } from "../dialect/values.ts";
import type { ReadDeps, Records } from "../reads/records.ts";
import { ServiceRefusal } from "../transport/failures.ts";
import { droppedFields, type Dropped } from "./compare.ts";
import { without } from "./creates.ts";
import { goneError } from "./gone-error.ts";

/** The fields that only a move changes, and the edit without them. */
export interface Split {
  readonly moved: JsonObject;
  readonly others: JsonObject;
}

/**
 * The part of an edit that the service takes only as a move. A link that is cleared stays in the edit: a move
 * needs an owner.
 */
export function splitMoved(resource: ResourceName, fields: JsonObject): Split {
  const names = resourceFacts(resource).moves.filter((name) => !isEmpty(fields[name]));
  const moved = Object.fromEntries(names.map((name) => [name, fields[name]!]));
  return { moved, others: without(fields, names) };
}

/** Whether the service carries out an edit as a whole or not at all: it takes a single request. */
export function isOneRequest(resource: ResourceName, { fields, arrays }: Patch): boolean {
  if (Object.keys(arrays).length > 0) return false;
  const { moved, others } = splitMoved(resource, fields);
  return Object.keys(moved).length === 0 || Object.keys(others).length === 0;
}

/** Gives contacts and objects another customer, which no edit can do. */
export class Moves {
  readonly #deps: ReadDeps;
  readonly #records: Records;

  constructor(deps: ReadDeps, records: Records) {
    this.#deps = deps;
    this.#records = records;
  }

  /**
   * Moves a record and reads it afterwards. Sends nothing when it is there already, as after a move without an answer.
   * @returns what the service dropped although it answered the move.
   * @throws {ServiceRefusal} E_MOVE_UNSUPPORTED when the service does not have this action; E_RECORD_GONE as an edit.
   * @throws {RetryError} E_SERVICE_ANSWER, with its outcome unknown, when the record cannot be read afterwards.
   */
  async move(
    resource: ResourceName,
    id: ServiceId,
    moved: JsonObject,
    scope: AncestorIds,
    signal: AbortSignal,
  ): Promise<{ readonly dropped: readonly Dropped[]; readonly status: number }> {
    const { moves } = resourceFacts(resource);
    const before = await this.#records.read(resource, id, moves, signal, scope);
    if (before === undefined) throw goneError(resource, id);
    if (Object.entries(moved).every(([name, value]) => sameValue(value, before[name])))
      return { dropped: [], status: 200 };
    const status = await this.#send(resource, id, bodyOf(resource, moved, before), scope, signal);
    const after = await this.#after(resource, id, moves, scope, signal);
    return { dropped: droppedFields(resource, moved, after), status };
  }

  async #send(
    resource: ResourceName,
    id: ServiceId,
    body: JsonObject,
    scope: AncestorIds,
    signal: AbortSignal,
  ): Promise<number> {
    const { transport, paths, brand } = this.#deps;
    try {
      const url = await paths.action(resource, id, "move", scope);
      const call = { method: "PUT", resource, url, body: brand.encode(body), repeat: "never", signal } as const;
      return (await transport.send(call)).status;
    } catch (thrown) {
      if (!(thrown instanceof ServiceRefusal)) throw thrown;
      if (await this.#records.isGone(resource, id, thrown, signal, scope)) throw goneError(resource, id, thrown);
      throw NOT_OFFERED.has(thrown.status) ? unsupported(resource, id, body, thrown) : thrown;
    }
  }

  async #after(
    resource: ResourceName,
    id: ServiceId,
    names: readonly string[],
    scope: AncestorIds,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    let message = `${resource} ${id} was moved and is not shown afterwards`;
    try {
      const record = await this.#records.read(resource, id, names, signal, scope);
      if (record !== undefined) return record;
    } catch (thrown) {
      message = `${resource} ${id} was moved and could not be read afterwards: ${errorFacts(thrown).message}`;
    }
    const details = { resource, serviceId: id };
    throw new RetryError("E_SERVICE_ANSWER", message, { outcomeUnknown: true, details });
  }
}

/** Answers of a service that does not have the action. */
const NOT_OFFERED: ReadonlySet<number> = new Set([404, 405, 410, 501]);

/** The owner is always named. Nothing asks for what is attached to a contact to be moved along: it is not ours. */
function bodyOf(resource: ResourceName, moved: JsonObject, before: JsonObject): JsonObject {
  const [owner = ""] = resourceFacts(resource).moves;
  const body: Record<string, Json> = { ...moved };
  const ownerBefore = before[owner];
  if (!(owner in moved) && ownerBefore !== undefined) body[owner] = serviceIdOf(ownerBefore) ?? ownerBefore;
  return body;
}

function unsupported(resource: ResourceName, id: ServiceId, body: JsonObject, cause: ServiceRefusal): ServiceRefusal {
  const [owner = ""] = resourceFacts(resource).moves;
  const { status, isOwnWord } = cause;
  const message = `${resource} ${id} belongs to ${owner} ${String(serviceIdOf(body[owner]))} now; an edit cannot change that, and the service does not offer to move it: ${cause.message}`;
  const details = { resource, serviceId: id, field: owner, status };
  return new ServiceRefusal("E_MOVE_UNSUPPORTED", message, status, { cause, details, isOwnWord });
}

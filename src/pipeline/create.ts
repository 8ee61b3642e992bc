import {
  ParkError,
  recordLabel,
  recordName,
  RetryError,
  WaitError,
  type Json,
  type JsonObject,
  type Projection,
  type RecordId,
  type ResourceName,
  type ServiceId,
  type StreamName,
} from "#model";
import type { Stream } from "#mapping";
import { sameValue, type Service, type Written } from "#service";
import type { Claim, Store } from "#store";
import type { DroppedFields } from "./dropped-fields.ts";
import { Looks } from "./looks.ts";
import type { Matcher } from "./matcher.ts";
import { naturalKey } from "./natural-key.ts";
import type { Presence } from "./presence.ts";
import type { Wanted } from "./resolver.ts";
import { saysNotDone } from "./verdict.ts";

export interface CreatorParts {
  readonly store: Store;
  readonly service: Service;
  readonly presence: Presence;
  readonly matcher: Matcher;
  /** How long after a create of unknown outcome the service may still bring its record to light. */
  readonly settleMs: number;
  readonly dropped: DroppedFields;
}

/**
 * Gives a record its counterpart in the service: by settling a create that was begun, by adopting what is there, or by
 * creating it. This is where duplicates would be made, so every path looks before it leaps.
 */
export class Creator {
  readonly #parts: CreatorParts;
  readonly #looks: Looks;

  constructor(parts: CreatorParts) {
    this.#parts = parts;
    this.#looks = new Looks(parts.settleMs);
  }

  /**
   * Settles the open intent of a claim: true when the claim has ended (bound to what was found), false when it is certain
   * that nothing was created and the intent is closed.
   * @throws {WaitError} E_CREATE_UNSETTLED while the service may still show the record.
   * @throws {UncertainError} where the record cannot be looked for, or when several could be it.
   */
  async settle(claim: Claim, stream: Stream, signal: AbortSignal): Promise<boolean> {
    const { store, matcher } = this.#parts;
    const intent = claim.intent!;
    if (claim.decision?.kind === "create") {
      await store.abandon(claim);
      return false;
    }
    if (!stream.match.some((rule) => naturalKey(rule, intent.projection) !== undefined))
      throw new UncertainError(
        "E_CREATE_UNCERTAIN",
        `a create of ${intent.resource} was begun and its end not seen; the stream has no match rule to look for it`,
      );
    const found = await this.#present(
      intent.resource,
      await matcher.find(stream, intent.projection, claim.id, signal, { afresh: true }),
      signal,
    );
    const [serviceId, ...others] = found;
    if (others.length > 0)
      throw new UncertainError(
        "E_CREATE_UNCERTAIN",
        `a create of ${intent.resource} was begun and its end not seen; ${found.length} records could be its result: ${found.join(", ")}`,
        { candidates: [...found] },
      );
    if (
      serviceId !== undefined &&
      (await this.#bindFound(claim, stream, serviceId, intent.projection, "settle", signal))
    ) {
      this.#looks.end(claim.id);
      return true;
    }
    const afterMs = this.#looks.leftMs(claim);
    if (afterMs > 0) {
      await store.looked(claim);
      throw new WaitError(
        "E_CREATE_UNSETTLED",
        `a create of ${intent.resource} was begun and its end not seen; the service does not show its record yet`,
        { afterMs },
      );
    }
    await this.#expectAbsent(claim, stream, signal);
    await store.abandon(claim);
    this.#looks.end(claim.id);
    return false;
  }

  /**
   * Not to find a natural key proves nothing where the service does not keep it as it was sent.
   * @throws {UncertainError} when it may hold the record under another spelling.
   */
  async #expectAbsent(claim: Claim, stream: Stream, signal: AbortSignal): Promise<void> {
    const { resource, projection } = claim.intent!;
    const near = await this.#parts.matcher.findNear(stream, projection, claim.id);
    const candidates: ServiceId[] = [];
    for (const serviceId of near)
      if (await this.#parts.presence.read(resource, serviceId, ["id"], signal)) candidates.push(serviceId);
    if (candidates.length > 0)
      throw new UncertainError(
        "E_CREATE_UNCERTAIN",
        `a create of ${resource} was begun and its end not seen; its natural key is there in another spelling: ${candidates.join(", ")}`,
        { candidates },
      );
    for (const field of stream.match.flatMap(({ fields }) => fields))
      if ((await this.#parts.store.note(respelledNote(stream.name, field))) !== undefined)
        throw new UncertainError(
          "E_CREATE_UNCERTAIN",
          `a create of ${resource} was begun and its end not seen; the service does not keep ${field} as it is sent, so the record cannot be looked for by it`,
          { field },
        );
  }

  /**
   * Binds an unbound record: to the one record of the service that its natural key names, else to a new one; to a new one
   * at once when a person said so.
   * @throws {ParkError} E_MATCH_AMBIGUOUS when several records answer to the natural key.
   */
  async create(claim: Claim, stream: Stream, wanted: Wanted, signal: AbortSignal): Promise<"adopted" | "created"> {
    const { store, service, matcher } = this.#parts;
    const resource = stream.resource;
    const looksFirst = stream.match.length > 0 && claim.decision?.kind !== "create";
    const matched = looksFirst ? await matcher.find(stream, wanted.projection, claim.id, signal) : [];
    const found = await this.#present(resource, matched, signal);
    if (found.length > 1)
      throw new ParkError(
        "E_MATCH_AMBIGUOUS",
        `${found.length} records of ${resource} answer to its natural key: ${found.join(", ")}`,
        { details: { candidates: [...found] } },
      );
    if (found[0] !== undefined && (await this.#bindFound(claim, stream, found[0], wanted.projection, "adopt", signal)))
      return "adopted";

    const body = withoutNulls(wanted.projection);
    await store.begin(claim, { resource, projection: wanted.projection });
    let written: Written;
    try {
      written = await service.create(resource, body, signal);
      await this.#expectUnowned(claim.id, resource, written.serviceId);
    } catch (thrown) {
      if (!signal.aborted && saysNotDone(thrown)) await store.abandon(claim);
      throw thrown;
    }
    await this.#bindCreated(claim, stream, wanted, written);
    return "created";
  }

  /** Of several candidates those that still exist: the index does not see what people delete. */
  async #present(
    resource: ResourceName,
    candidates: readonly ServiceId[],
    signal: AbortSignal,
  ): Promise<readonly ServiceId[]> {
    if (candidates.length < 2) return candidates;
    const present: ServiceId[] = [];
    for (const serviceId of candidates)
      if (await this.#parts.presence.read(resource, serviceId, ["id"], signal)) present.push(serviceId);
    return present;
  }

  /** An id that is another record's cannot be the new one's: what was created is looked for. */
  async #expectUnowned(self: RecordId, resource: ResourceName, serviceId: ServiceId): Promise<void> {
    const owner = await this.#parts.store.boundTo({ resource, serviceId });
    if (!owner || recordName(owner) === recordName(self)) return;
    throw new RetryError(
      "E_CREATE_UNKNOWN",
      `the service answered the create of a ${resource} with ${serviceId}, which is ${recordLabel(owner)}`,
      { outcomeUnknown: true, details: { resource, serviceId } },
    );
  }

  async #bindCreated(claim: Claim, stream: Stream, wanted: Wanted, written: Written): Promise<void> {
    const { resource } = stream;
    const { serviceId, status, durationMs } = written;
    // Before the delivery ends: after it, a crash would leave nobody who knows.
    for (const { field } of written.dropped)
      if (stream.match.some(({ fields }) => fields.includes(field)))
        await this.#parts.store.saveNote(respelledNote(stream.name, field), { resource, serviceId });
    await this.#parts.dropped.report(stream, written);
    await this.#parts.store.bind(
      claim,
      { resource, serviceId },
      {
        projection: wanted.projection,
        outcome: "created",
        parents: wanted.parents,
        audit: {
          action: "create",
          resource,
          serviceId,
          after: { ...wanted.projection },
          outcome: "created",
          status,
          durationMs,
        },
      },
    );
  }

  /** What a record that is there holds of our fields, or undefined when it is gone for sure. */
  async held(
    resource: ResourceName,
    serviceId: ServiceId,
    wanted: Projection,
    signal: AbortSignal,
  ): Promise<Projection | undefined> {
    const record = await this.#parts.presence.read(resource, serviceId, Object.keys(wanted), signal);
    return record && ownedPart(record, wanted);
  }

  /**
   * Binds to a record that is there; what it holds now counts as last written, so that the next delivery sends exactly what
   * differs. False when it has vanished meanwhile.
   */
  async #bindFound(
    claim: Claim,
    stream: Stream,
    serviceId: ServiceId,
    wanted: Projection,
    action: "adopt" | "settle",
    signal: AbortSignal,
  ): Promise<boolean> {
    const { resource } = stream;
    const projection = await this.held(resource, serviceId, wanted, signal);
    if (!projection) return false;
    const outcome = action === "adopt" ? "adopted" : "created";
    await this.#parts.store.bind(
      claim,
      { resource, serviceId },
      {
        projection,
        outcome,
        parents: [],
        again: true,
        audit: { action, resource, serviceId, before: { ...projection }, outcome },
      },
    );
    return true;
  }
}

/** The note that the service answered a create with another value of this match field. */
function respelledNote(stream: StreamName, field: string): string {
  return `respelled/${stream}/${field}`;
}

/** A create whose result cannot be known: a person decides. */
export class UncertainError extends ParkError {
  constructor(code: "E_CREATE_UNCERTAIN", message: string, details: Record<string, Json> = {}) {
    super(code, message, { details });
  }
}

/** A create says nothing about fields that have no value. */
function withoutNulls(projection: Projection): JsonObject {
  return Object.fromEntries(Object.entries(projection).filter(([, value]) => value !== null));
}

/**
 * What a record that is there holds of our fields. Of an array only the ids that we want too count as ours: others' are
 * never removed. What holds the wanted value in another spelling, or shows no value where none is wanted, holds it.
 */
function ownedPart(record: JsonObject, wanted: Projection): Projection {
  const owned: Record<string, Json> = {};
  for (const [name, value] of Object.entries(wanted)) {
    const found = record[name];
    if (!Array.isArray(value) && sameValue(value, found)) owned[name] = value;
    if (name in owned || found === undefined) continue;
    if (Array.isArray(value) && Array.isArray(found)) {
      const present = found.map(linkId);
      owned[name] = value.filter((id) => present.includes(id));
    } else owned[name] = linkId(found);
  }
  return owned;
}

function linkId(value: Json): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) && "id" in value ? value["id"]! : value;
}

import type { JsonObject, ResourceName, ServiceId } from "#model";
import type { Breaker } from "./transport/breaker.ts";
import type { Patch, Service, ServiceState } from "./contract.ts";
import type { Creates } from "./writes/creates.ts";
import type { Edits } from "./writes/edits.ts";
import type { FieldReader } from "./reads/field-facts.ts";
import type { AdaptiveLimit } from "./transport/limit.ts";
import type { ListQuery, Lists } from "./reads/lists.ts";
import type { Pace } from "./transport/pace.ts";
import type { Probe } from "./probe/probe.ts";
import type { Records } from "./reads/records.ts";
import type { Reference } from "./reads/reference.ts";
import type { ServerClock } from "./transport/server-clock.ts";
import type { Transport } from "./transport/transport.ts";
import type { Witness } from "./reads/witness.ts";

interface ClientDeps {
  readonly serverClock: ServerClock;
  readonly transport: Transport;
  readonly limit: AdaptiveLimit;
  readonly pace: Pace;
  readonly breaker: Breaker;
  readonly lists: Lists;
  readonly records: Records;
  readonly creates: Creates;
  readonly edits: Edits;
  readonly witness: Witness;
  readonly reference: Reference;
  readonly fieldReader: FieldReader;
  readonly probe: Probe;
  readonly close: () => void;
}

/** The contract's front: every method is one part's work. */
export class ServiceClient implements Service {
  readonly #deps: ClientDeps;

  constructor(deps: ClientDeps) {
    this.#deps = deps;
  }

  create(resource: ResourceName, body: JsonObject, signal: AbortSignal) {
    return this.#deps.creates.create(resource, body, signal);
  }

  update(resource: ResourceName, id: ServiceId, patch: Patch, signal: AbortSignal) {
    return this.#deps.edits.update(resource, id, patch, signal);
  }

  remove(resource: ResourceName, id: ServiceId, signal: AbortSignal, above?: JsonObject) {
    return this.#deps.records.remove(resource, id, signal, above);
  }

  read(resource: ResourceName, id: ServiceId, fields: readonly string[], signal: AbortSignal, above?: JsonObject) {
    return this.#deps.records.read(resource, id, fields, signal, above);
  }

  vouch(resource: ResourceName, known: readonly ServiceId[], signal: AbortSignal) {
    return this.#deps.witness.vouch(resource, known, signal);
  }

  list(resource: ResourceName, query: ListQuery, signal: AbortSignal) {
    return this.#deps.lists.pages(resource, query, signal);
  }

  lookup(resource: ResourceName, by: string, value: string | number, signal: AbortSignal) {
    return this.#deps.reference.lookup(resource, by, value, signal);
  }

  fields(resource: ResourceName, names: readonly string[], signal: AbortSignal) {
    return this.#deps.fieldReader.facts(resource, names, signal);
  }

  now() {
    return this.#deps.serverClock.now();
  }

  state(): ServiceState {
    const { breaker, limit, pace, transport } = this.#deps;
    return {
      state: breaker.state,
      probeAt: breaker.probeAt,
      holdMs: Math.ceil(pace.holdMs),
      perSecond: Number.isFinite(pace.perSecond) ? pace.perSecond : undefined,
      concurrency: limit.current,
      requests: transport.requests,
    };
  }

  drain() {
    this.#deps.pace.drain();
  }

  ping(signal: AbortSignal) {
    return this.#deps.probe.ping(signal);
  }

  probe(resources: readonly ResourceName[], signal: AbortSignal) {
    return this.#deps.probe.run(resources, signal);
  }

  [Symbol.asyncDispose]() {
    this.#deps.close();
    return Promise.resolve();
  }
}

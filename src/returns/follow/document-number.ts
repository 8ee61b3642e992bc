import { sleep, ParkError, RetryError, type Json, type JsonObject, type Return, type ReturnAnswer } from "#model";
import type { ReturnStream } from "#mapping";
import { isEmpty, sameValue, serviceIdOf, type Service } from "#service";
import type { Consequence } from "../contract.ts";

export interface DocumentNumberDeps {
  readonly service: Pick<Service, "backward" | "update">;
  /** Pauses between readings after the write, in milliseconds. Tests use shorter ones. */
  readonly pausesMs?: readonly number[];
}

/** How long a service may take to show what was written. */
const PAUSES_MS = [200, 1_000, 3_000];
/** A field that shows that a write took effect. An invoice with a number becomes INVOICED. */
const SETTLED: Readonly<Record<string, { readonly field: string; readonly value: string }>> = {
  invoice: { field: "status", value: "invoiced" },
};

/** Writes the ERP's document number into the service: into the invoice record of a service record, for example. */
export class DocumentNumber implements Consequence {
  readonly #deps: DocumentNumberDeps;
  readonly #then: NonNullable<ReturnStream["whenAccepted"]>;

  constructor(deps: DocumentNumberDeps, then: NonNullable<ReturnStream["whenAccepted"]>) {
    this.#deps = deps;
    this.#then = then;
  }

  /**
   * Looks first, so that a repetition after a lost answer writes nothing, then writes once and reads until the service shows it.
   * @throws {ParkError} E_RETURN_FOLLOW when there is no record to write into, or it has another value.
   * @throws {RetryError} E_RETURN_FOLLOW when it was written and the service does not show it yet.
   */
  async carryOut({ serviceId }: Return, { document }: ReturnAnswer, signal: AbortSignal): Promise<void> {
    const { resource, of } = this.#then;
    if (serviceId === undefined || document === undefined) return;
    const wanted = this.#values(document);
    const asked = [...Object.keys(wanted), ...this.#settledField];
    const found = await this.#deps.service.backward.linked(resource, { of, id: serviceId }, asked, signal);
    const id = serviceIdOf(found?.["id"]);
    if (found === undefined || id === undefined)
      throw new ParkError(
        "E_RETURN_FOLLOW",
        `${of} ${serviceId} has no ${resource} yet, so ${document} was not written`,
        {
          details: { resource, of, serviceId },
        },
      );
    for (const [field, value] of Object.entries(wanted))
      if (this.#then.set[field] === "document" && !isEmpty(found[field]) && !sameValue(value, found[field]))
        throw this.#other(id, field, value, found[field]);
    if (isShown(wanted, found)) return this.#expectSettled(id, document, found, signal);
    const { dropped } = await this.#deps.service.update(resource, id, { fields: wanted, arrays: {} }, signal);
    const [first] = dropped;
    if (first !== undefined) throw this.#other(id, first.field, first.sent, first.found);
    return this.#expectSettled(id, document, undefined, signal);
  }

  get #settledField(): string[] {
    const settled = SETTLED[this.#then.resource];
    return settled === undefined ? [] : [settled.field];
  }

  #values(document: string): Record<string, Json> {
    const { set } = this.#then;
    return Object.fromEntries(
      Object.entries(set).map(([field, value]) => [field, value === "document" ? document : value.const]),
    );
  }

  /** Reads until the service shows that the write took effect. Nothing is written again. */
  async #expectSettled(
    id: number,
    document: string,
    found: JsonObject | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { resource } = this.#then;
    const settled = SETTLED[resource];
    if (settled === undefined) return;
    let shown: Json | undefined = found?.[settled.field];
    for (const pauseMs of [0, ...(this.#deps.pausesMs ?? PAUSES_MS)]) {
      if (isSettled(shown, settled.value)) return;
      if (pauseMs > 0) await sleep(pauseMs, signal);
      shown = (await this.#deps.service.backward.read(resource, id, [settled.field], signal))?.[settled.field];
    }
    if (isSettled(shown, settled.value)) return;
    const state = `${settled.field} ${JSON.stringify(shown ?? null)}`;
    throw new RetryError("E_RETURN_FOLLOW", `${resource} ${id} has the number ${document} and still shows ${state}`, {
      details: { resource, serviceId: id },
    });
  }

  #other(id: number, field: string, wanted: Json, found: Json | undefined): ParkError {
    const { resource } = this.#then;
    const message = `${resource} ${id} has ${field} ${JSON.stringify(found ?? null)}; the ERP says ${JSON.stringify(wanted)}`;
    return new ParkError("E_RETURN_FOLLOW", message, { details: { resource, serviceId: id, field } });
  }
}

function isShown(wanted: JsonObject, found: JsonObject): boolean {
  return Object.entries(wanted).every(([field, value]) => sameValue(value, found[field]));
}

/** The service's schema and its answers spell states in different cases. */
function isSettled(shown: Json | undefined, value: string): boolean {
  return typeof shown === "string" && shown.toLowerCase() === value;
}

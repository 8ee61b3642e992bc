import type { Json, JsonObject } from "#model";

/** The tickets of the service, some of which people merged into others: `mergedToTicket`. */
export class MergedTickets {
  readonly #into = new Map<number, number>();
  readonly #keys = new Map<number, string>();
  readonly #ids = new Map<string, number[]>();

  constructor(tickets: readonly JsonObject[]) {
    for (const ticket of tickets) {
      const [id, into, key] = [Number(ticket["id"]), ticket["mergedToTicket"], keyOf(ticket["erpReferenceNumber"])];
      if (typeof into === "number") this.#into.set(id, into);
      this.#keys.set(id, key);
      this.#ids.set(key, [...(this.#ids.get(key) ?? []), id]);
    }
  }

  isMerged(id: number): boolean {
    return this.#into.has(id);
  }

  /** The ticket that is left of this one after all merges. */
  survivor(id: number): number {
    const passed = new Set<number>();
    let at = id;
    for (let next = this.#into.get(at); next !== undefined && !passed.has(next); next = this.#into.get(at)) {
      passed.add(at);
      at = next;
    }
    return at;
  }

  /** The ticket that a ticket of the ERP is now: the one that carries its key, or what is left of the one that did. */
  ticketOf(key: string): number | undefined {
    const ids = this.#ids.get(key) ?? [];
    const own = ids.find((id) => !this.isMerged(id));
    return own ?? (ids[0] === undefined ? undefined : this.survivor(ids[0]));
  }

  /**
   * The other ticket of the ERP that a ticket of the ERP was merged into. Only a person can say which of the two is right. One that is left
   * of several and carries no key was given to the one that the ERP has deleted: svcsync writes its key to it for a living one.
   */
  takenBy(key: string, isAlive: (key: string) => boolean): string | undefined {
    const id = this.ticketOf(key);
    const other = id === undefined ? key : (this.#keys.get(id) ?? "");
    if (other !== "") return other === key ? undefined : other;
    return this.othersIn(id!).find((each) => each !== key && !isAlive(each));
  }

  /** The other keys whose tickets were merged into this one: what the service copied from them stays. */
  othersIn(id: number): string[] {
    const own = this.#keys.get(id);
    const merged = [...this.#into.keys()].filter((each) => this.survivor(each) === id);
    return [...new Set(merged.map((each) => this.#keys.get(each) ?? ""))].filter((key) => key !== "" && key !== own);
  }
}

export function keyOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

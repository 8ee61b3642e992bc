import { recordName, type RecordId } from "#model";
import type { Fate } from "./planned-delivery.ts";

/** What others need to know about a record that is planned: how it ends, and as which record of the service. */
export type KnownFate = Pick<Fate, "state" | "isBound"> & Pick<Fate["planned"], "verdict" | "serviceId" | "error">;

/** Some 10 MB. Of a first load each parent that is forgotten is planned again for its next child. */
const KEPT = 50_000;

/** The fates of records that others refer to, the latest few of them. */
export class KnownFates {
  readonly #fates = new Map<string, KnownFate | undefined>();

  has(id: RecordId): boolean {
    return this.#fates.has(recordName(id));
  }

  get(id: RecordId): KnownFate | undefined {
    return this.#fates.get(recordName(id));
  }

  /** Undefined: the run leaves the record alone. */
  set(id: RecordId, fate: KnownFate | undefined): void {
    if (this.#fates.size >= KEPT) this.#fates.delete(this.#fates.keys().next().value!);
    this.#fates.set(recordName(id), fate);
  }
}

import { createHash } from "node:crypto";
import { canonicalJson, type RecordId, type StreamName } from "#model";
import { CHANGES, VERDICTS, type Verdict } from "../approve/verdict.ts";
import type { PlannedDelivery } from "./planned-delivery.ts";

/** Digits of a plan's id: enough to tell plans apart, and short enough to type. */
const ID_LENGTH = 12;

/** The totals of a stream's plan. */
export interface PlanCounts {
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** How often each field is written by updates, the most frequent first. */
  readonly fields: readonly { readonly field: string; readonly count: number }[];
  /** Updates of records that were written before. */
  readonly updates: number;
}

/** Adds up planned records one at a time, so that memory stays flat. */
export class Tally {
  readonly #verdicts: Record<Verdict, number>;
  readonly #fields = new Map<string, number>();
  readonly #digest;
  #updates = 0;
  #guarded = 0;

  /** @param fingerprint of the mapping that is planned. */
  constructor(stream: StreamName, fingerprint: string) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of all verdicts
    this.#verdicts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
    this.#digest = createHash("sha256").update(JSON.stringify([stream, fingerprint]));
  }

  add(planned: Pick<PlannedDelivery, "id" | "verdict" | "fields" | "isDelivered" | "isGuarded">): void {
    const { id, verdict, fields, isDelivered, isGuarded = false } = planned;
    this.#verdicts[verdict] += 1;
    if (verdict !== "update") return;
    for (const { field } of fields) this.#fields.set(field, (this.#fields.get(field) ?? 0) + 1);
    if (!isDelivered) return;
    this.#updates += 1;
    if (isGuarded) this.#guarded += 1;
    this.#digest.update(digested(id, fields));
  }

  get counts(): PlanCounts {
    const fields = [...this.#fields].map(([field, count]) => ({ field, count }));
    return {
      verdicts: { ...this.#verdicts },
      fields: fields.toSorted((a, b) => b.count - a.count),
      updates: this.#updates,
    };
  }

  /** Updates of records that the mass-change guard holds or has still to count. */
  get guarded(): number {
    return this.#guarded;
  }

  /** Whether the run changes anything, in the service or for a person. */
  get isChange(): boolean {
    return VERDICTS.some((verdict) => CHANGES.has(verdict) && this.#verdicts[verdict] > 0);
  }

  /** Identifies this plan. Another mapping, another record or another written value gives another id. */
  get id(): string {
    return this.#digest.copy().digest("hex").slice(0, ID_LENGTH);
  }
}

function digested({ key }: RecordId, fields: PlannedDelivery["fields"]): string {
  return `${JSON.stringify(key)}${canonicalJson(fields.map(({ field, after }) => [field, after]))}\n`;
}

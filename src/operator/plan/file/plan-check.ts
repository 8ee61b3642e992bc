import {
  canonicalJson,
  counted,
  isJsonObject,
  parseRecord,
  recordLabel,
  type Json,
  type JsonObject,
  type RecordId,
} from "#model";
import { knownMerge, type PlannedDelivery, type Planner, type Presence } from "#pipeline";
import { sameValue } from "#service";
import type { NoteStore, RecordStore, RecordView } from "#store";
import { redacted, type Redact } from "#telemetry";
import { deliveryText, valueText } from "../plan-text.ts";
import { decisionOf, idOf, planRecord, type PlanRecord } from "./plan-file.ts";

/** What became of a planned record since: still to do, done already, or another decision now. */
export type Checked =
  | { readonly kind: "open"; readonly id: RecordId; readonly view: RecordView; readonly now: PlanRecord }
  | { readonly kind: "done"; readonly id: RecordId }
  | { readonly kind: "differs"; readonly id: RecordId; readonly why: string };

export interface PlanCheckDeps {
  readonly store: Pick<RecordStore, "record"> & Pick<NoteStore, "note">;
  readonly planner: Pick<Planner, "planAgain">;
  readonly presence: Pick<Presence, "read">;
  readonly redact: Redact;
}

type PlanField = PlanRecord["fields"][number];

/** Decides again what a plan decided about records, one after the other, and compares them with the service. Writes nothing. */
export class PlanCheck {
  readonly #deps: PlanCheckDeps;

  constructor(deps: PlanCheckDeps) {
    this.#deps = deps;
  }

  /** Decides from the store. */
  async check(record: PlanRecord, signal: AbortSignal): Promise<Checked> {
    const { store, planner, redact } = this.#deps;
    const id = idOf(record);
    const view = await store.record(id);
    if (!view) return { kind: "differs", id, why: "the store no longer has it" };
    if (await this.#isDone(record, view)) return { kind: "done", id };
    const planned = await planner.planAgain(view, signal);
    if (!planned) return { kind: "differs", id, why: `the plan says ${record.verdict}, and it is ${view.state} now` };
    const now = planRecord(planned, redact);
    if (!(await this.#isSame(record, now, view))) return { kind: "differs", id, why: whyNot(record, planned) };
    return { kind: "open", id, view, now };
  }

  /** Compares an open record with what the service holds now. Records can be compared side by side. */
  async compare(open: Extract<Checked, { kind: "open" }>, signal: AbortSignal): Promise<Checked> {
    const why = await this.#heldOtherwise(open.now, open.view, signal);
    return why === undefined ? open : { kind: "differs", id: open.id, why };
  }

  /** Whether an earlier run, cut short perhaps, has already left the record as the plan wants it. */
  async #isDone(record: PlanRecord, view: RecordView): Promise<boolean> {
    const { verdict, serviceId, code } = record;
    const { state, binding } = view;
    switch (verdict) {
      case "create":
      case "update":
      case "adopt":
        // A deletion in the ERP that the service's record survives binds it, too.
        if (state !== "applied" && (verdict !== "adopt" || state !== "deleted")) return false;
        if (!binding || view.inFlight) return false;
        return (verdict === "create" || binding.serviceId === serviceId) && (await this.#areWritten(record, view));
      case "delete":
        return state === "deleted" && ((await this.#isGone(view)) || (await this.#areWritten(record, view)));
      case "park":
        return state === "parked" && view.error?.code === code;
      case "skip":
        return state === "skipped";
      case "settle":
      case "unchanged":
        return (state === "applied" || state === "deleted") && !view.inFlight;
      case "wait":
        return false;
    }
  }

  /** Whether the record of the service has ended, so that a deletion had no fields to set. */
  async #isGone({ binding }: RecordView): Promise<boolean> {
    return binding === undefined || (await knownMerge(this.#deps.store, binding)) !== undefined;
  }

  async #areWritten({ fields }: PlanRecord, { applied = {} }: RecordView): Promise<boolean> {
    for (const { field, after } of fields)
      if (!(await this.#isValue(after, redacted(applied[field] ?? null, this.#deps.redact)))) return false;
    return true;
  }

  /** Whether a decision is the planned one, or the rest of it after an earlier run was cut short. */
  async #isSame(record: PlanRecord, now: PlanRecord, view: RecordView): Promise<boolean> {
    if (now.deletes !== undefined && now.deletes !== record.deletes) return false;
    if (decisionOf(record) === decisionOf(now)) return true;
    if (record.verdict === "create" && now.verdict === "settle") {
      const sent = redacted(view.intent?.projection ?? {}, this.#deps.redact);
      return this.#areWritten(record, { ...view, applied: sent });
    }
    if (isRest(record, now, view))
      return (await this.#areIn(now.fields, record)) && (record.verdict !== "create" || view.applied !== undefined);
    const { verdict, serviceId, code, fields } = record;
    if (verdict !== now.verdict || serviceId !== now.serviceId || code !== now.code) return false;
    return fields.length === now.fields.length && (await this.#areIn(now.fields, record, true));
  }

  async #areIn(now: readonly PlanField[], { fields }: PlanRecord, withBefore = false): Promise<boolean> {
    const planned = new Map(fields.map((each) => [each.field, each]));
    for (const { field, before, after } of now) {
      const known = planned.get(field);
      if (!known || !(await this.#isValue(known.after, after))) return false;
      if (withBefore && canonicalJson(known.before ?? null) !== canonicalJson(before ?? null)) return false;
    }
    return true;
  }

  /** Whether a value is the planned one. An id that only the run would know may be known by now. */
  async #isValue(planned: Json, now: Json): Promise<boolean> {
    if (canonicalJson(planned) === canonicalJson(now)) return true;
    if (Array.isArray(planned) && Array.isArray(now)) {
      if (planned.length !== now.length) return false;
      for (const [at, value] of planned.entries()) if (!(await this.#isValue(value, now[at]!))) return false;
      return true;
    }
    if (!isJsonObject(planned) || typeof now !== "number") return false;
    if (typeof planned["idOf"] === "string") return true;
    const label = planned["newIdOf"];
    return typeof label === "string" && (await this.#idOf(label)) === now;
  }

  async #idOf(label: string): Promise<number | undefined> {
    const id = parseRecord(label);
    return id && (await this.#deps.store.record(id))?.binding?.serviceId;
  }

  /**
   * Why the update would overwrite something else than the plan shows. A field that svcsync never wrote, or of which it knows that the
   * service differs, is not compared: no plan knows what it holds.
   */
  async #heldOtherwise(now: PlanRecord, view: RecordView, signal: AbortSignal): Promise<string | undefined> {
    const { presence, redact } = this.#deps;
    const { binding, applied = {}, inFlight } = view;
    if (!binding || (now.verdict !== "update" && now.verdict !== "delete") || !view.applied) return undefined;
    const compared = now.fields.filter(
      ({ field, isShared }) => !isShared && field in applied && !(field in (inFlight?.fields ?? {})),
    );
    if (compared.length === 0) return undefined;
    const names = compared.map(({ field }) => field);
    const found = await presence.read(binding.resource, binding.serviceId, names, signal, applied);
    if (!found) return `the service no longer has ${binding.resource} ${binding.serviceId}`;
    const held: JsonObject = redacted(found, redact);
    const others = compared.filter(
      ({ field, before = null, after }) => !sameValue(before, held[field]) && !sameValue(after, held[field]),
    );
    if (others.length === 0) return undefined;
    const texts = others.map(
      ({ field, before = null }) => `${field} is ${valueText(held[field] ?? null)}, no longer ${valueText(before)}`,
    );
    return `in the service ${texts.join(", ")}`;
  }
}

/** Whether a record that the plan creates or binds is bound by now, and only what it writes afterwards is left to do. */
function isRest(record: PlanRecord, now: PlanRecord, { binding }: RecordView): boolean {
  if (!binding || (record.serviceId !== undefined && record.serviceId !== binding.serviceId)) return false;
  const isSet = now.verdict === "delete" && now.fields.length > 0;
  const isWritten = now.verdict === "update" || now.verdict === "unchanged";
  if (record.verdict === "create") return isWritten;
  if (record.verdict === "adopt") return isWritten || isSet;
  // What the fields of a record hold that is only to be bound is not known.
  return record.verdict === "delete" && isSet && record.fields.every(({ before }) => before === undefined);
}

function whyNot(record: PlanRecord, now: PlannedDelivery): string {
  const { verdict, fields, serviceId, deletes } = record;
  const before: PlannedDelivery = { id: idOf(record), verdict, serviceId, deletes, fields, isDelivered: true };
  return `the plan says "${actText(before)}", and now it would "${actText(now)}"`;
}

function actText(planned: PlannedDelivery): string {
  return deliveryText(planned).replace(recordLabel(planned.id), "it");
}

/** The first records that differ, and how many more there are, a line each. */
export function differencesText(
  differs: readonly { readonly id: RecordId; readonly why: string }[],
  count: number,
): string {
  const lines = differs.map(({ id, why }) => `  ${recordLabel(id)}: ${why}`);
  const more = count - differs.length;
  return [...lines, ...(more > 0 ? [`  … and ${counted(more, "more record")}`] : [])].join("\n");
}

import type { Stream } from "#mapping";
import type { JsonObject, ServiceId } from "#model";
import { sameValue, type Service, type Written } from "#service";
import type { NoteStore } from "#store";
import type { Logger } from "#telemetry";
import { droppedNote } from "../../notes.ts";
import type { Difference } from "../../wanted/difference.ts";
import { LostFields } from "./lost-fields.ts";
import type { Wanted } from "../../wanted/resolver.ts";

/**
 * Reports a field that the service answered with 200 but did not keep: once per stream and field, as a warning in the log and as a
 * note that `status` shows. The field is not sent again until the ERP's value changes. The note ends when an update of the record
 * that it names keeps the field.
 */
export class DroppedFields {
  /** Reports made or in progress, by the note's name. True once it is known whether the field is kept. */
  readonly #said = new Map<string, Promise<boolean>>();
  /** Names of notes that do not exist, as far as this process knows. */
  readonly #absent = new Set<string>();
  readonly #store: NoteStore;
  readonly #service: Pick<Service, "read">;
  readonly #logger: Logger;
  readonly #lost: LostFields;

  constructor(store: NoteStore, service: Pick<Service, "read">, logger: Logger) {
    this.#store = store;
    this.#service = service;
    this.#logger = logger;
    this.#lost = new LostFields(service);
  }

  /**
   * Reports the dropped fields of an update, except those that are lost: they park the record. Returns these, and the
   * fields that the update has written, without them.
   */
  async settle(
    stream: Stream,
    wanted: Pick<Wanted, "references">,
    written: Written,
    { after }: Pick<Difference, "after">,
    signal: AbortSignal,
  ): Promise<{ readonly lost: Written["dropped"]; readonly after: JsonObject }> {
    const lost = await this.#lost.among(stream, wanted, written, signal);
    const isLost = (name: string) => lost.some(({ field }) => field === name);
    const kept = Object.fromEntries(Object.entries(after).filter(([field]) => !isLost(field)));
    await this.report(
      stream,
      { ...written, dropped: written.dropped.filter(({ field }) => !isLost(field)) },
      signal,
      kept,
    );
    return { lost, after: kept };
  }

  /** Resolves once the store knows every dropped field, and every field of `updated` that the service kept. */
  async report(
    stream: Stream,
    { dropped, serviceId }: Written,
    signal: AbortSignal,
    updated: JsonObject = {},
  ): Promise<void> {
    for (const [field, value] of Object.entries(updated))
      // A field without a value looks the same whether it was dropped or kept.
      if (!sameValue(value, null) && dropped.every((other) => other.field !== field))
        await this.#kept(stream, field, serviceId);
    for (const each of dropped) {
      const { name } = droppedNote(stream.name, each.field);
      const saying = this.#said.get(name) ?? this.#say(stream, each, serviceId, signal);
      this.#said.set(name, saying);
      const isKnown = await saying.catch((thrown: unknown) => {
        this.#said.delete(name);
        throw thrown;
      });
      if (!isKnown) this.#said.delete(name);
    }
  }

  async #kept({ name: stream, resource }: Stream, field: string, serviceId: ServiceId): Promise<void> {
    const note = droppedNote(stream, field);
    if (this.#absent.has(note.name)) return;
    const saying = this.#said.get(note.name);
    await saying;
    const known = await this.#store.note(note);
    const isOther = known !== undefined && (known.serviceId !== serviceId || known.resource !== resource);
    if (isOther || this.#said.get(note.name) !== saying) return;
    this.#said.delete(note.name);
    if (known === undefined) this.#absent.add(note.name);
    else await this.#store.replaceNote(note, known, undefined);
  }

  /** Reports one field. An answer may omit fields that the record has, so an omitted field is read before it is reported as dropped. */
  async #say(
    { name: stream, resource }: Stream,
    { field, sent, found }: Written["dropped"][number],
    serviceId: ServiceId,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (found === undefined) {
      // The write succeeded, so a failure of this read does not matter.
      const record = await this.#service.read(resource, serviceId, [field], signal).catch(() => undefined);
      if (record === undefined) return false;
      if (sameValue(sent, record[field])) return true;
    }
    const note = droppedNote(stream, field);
    this.#absent.delete(note.name);
    const isNew = await this.#store.replaceNote(note, undefined, { resource, serviceId });
    if (isNew) this.#logger.warn({ stream, resource, field, serviceId }, "field was dropped by the service");
    return true;
  }
}

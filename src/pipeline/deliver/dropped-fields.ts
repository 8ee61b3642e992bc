import type { Stream } from "#mapping";
import type { JsonObject, ServiceId } from "#model";
import { sameValue, type Service, type Written } from "#service";
import type { NoteStore } from "#store";
import type { Logger } from "#telemetry";
import { droppedNote } from "../notes.ts";

/**
 * Reports a field that the service answered 200 to and did not keep: once per stream and field, as a warning in the log and
 * a note that `status` shows. It is never sent again until the ERP's value changes. The note ends when an update of the record that
 * it names keeps the field.
 */
export class DroppedFields {
  /** What was or is being said, by the note's name: true once it is known whether the field is kept. */
  readonly #said = new Map<string, Promise<boolean>>();
  /** Names of notes that are not there, as far as this process knows. */
  readonly #absent = new Set<string>();
  readonly #store: NoteStore;
  readonly #service: Pick<Service, "read">;
  readonly #logger: Logger;

  constructor(store: NoteStore, service: Pick<Service, "read">, logger: Logger) {
    this.#store = store;
    this.#service = service;
    this.#logger = logger;
  }

  /** Resolves when the store knows about every field that was dropped, and that an update with these values kept the others. */
  async report(
    stream: Stream,
    { dropped, serviceId }: Written,
    signal: AbortSignal,
    updated: JsonObject = {},
  ): Promise<void> {
    for (const [field, value] of Object.entries(updated))
      // A field without a value looks the same where it is dropped.
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

  /** An answer may leave out what the record holds: what it does not show is read before it is called dropped. */
  async #say(
    { name: stream, resource }: Stream,
    { field, sent, found }: Written["dropped"][number],
    serviceId: ServiceId,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (found === undefined) {
      // The record is written, whatever becomes of this look at it.
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

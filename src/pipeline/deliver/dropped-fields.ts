import type { Stream } from "#mapping";
import type { ServiceId } from "#model";
import type { Written } from "#service";
import type { NoteStore } from "#store";
import type { Logger } from "#telemetry";
import { droppedNote } from "../notes.ts";

/**
 * Reports a field that the service answered 200 to and did not keep: once per stream and field, as a warning in the log and
 * a note that `status` shows. It is never sent again until the ERP's value changes.
 */
export class DroppedFields {
  /** What was or is being said, by the note's name. */
  readonly #said = new Map<string, Promise<void>>();
  readonly #store: NoteStore;
  readonly #logger: Logger;

  constructor(store: NoteStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Resolves when the store knows about every field that was dropped. */
  async report(stream: Stream, { dropped, serviceId }: Written): Promise<void> {
    for (const { field } of dropped) {
      const { name } = droppedNote(stream.name, field);
      const saying = this.#said.get(name) ?? this.#say(stream, field, serviceId);
      this.#said.set(name, saying);
      try {
        await saying;
      } catch (thrown) {
        this.#said.delete(name);
        throw thrown;
      }
    }
  }

  async #say({ name: stream, resource }: Stream, field: string, serviceId: ServiceId): Promise<void> {
    const isNew = await this.#store.replaceNote(droppedNote(stream, field), undefined, { resource, serviceId });
    if (!isNew) return;
    this.#logger.warn({ stream, resource, field, serviceId }, "field was dropped by the service");
  }
}

import type { Stream } from "#mapping";
import type { Written } from "#service";
import type { Store } from "#store";
import type { Logger } from "#telemetry";

/**
 * Reports a field that the service answered 200 to and did not keep: once per stream and field, as a warning in the log and
 * a note that `status` shows. It is never sent again until the ERP's value changes.
 */
export class DroppedFields {
  readonly #known = new Set<string>();
  readonly #store: Pick<Store, "note" | "saveNote">;
  readonly #logger: Logger;

  constructor(store: Pick<Store, "note" | "saveNote">, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  async report(stream: Stream, written: Written): Promise<void> {
    for (const { field } of written.dropped) {
      const name = droppedNote(stream.name, field);
      if (this.#known.has(name)) continue;
      this.#known.add(name);
      if ((await this.#store.note(name)) !== undefined) continue;
      await this.#store.saveNote(name, { resource: stream.resource, serviceId: written.serviceId });
      this.#logger.warn(
        { stream: stream.name, resource: stream.resource, field, serviceId: written.serviceId },
        "field was dropped by the service",
      );
    }
  }
}

/** The note that remembers a dropped field. */
export function droppedNote(stream: string, field: string): string {
  return `dropped/${stream}/${field}`;
}

import type { Binding, Projection, RecordId, ServiceId } from "#model";
import type { IntakeStore, NoteStore, RecordStore, RecordView } from "#store";
import { knownMerge, mergedBefore } from "../counterpart/merges.ts";
import type { Bound, Knowledge } from "./knowledge.ts";
import type { Edited } from "../wanted/difference.ts";
import { editedAsSeen } from "../wanted/filled.ts";
import type { Wanted } from "../wanted/resolver.ts";

export type ReadStore = RecordStore & NoteStore & Pick<IntakeStore, "stream">;

/** The part of the knowledge that the store alone answers, for those who ask the service for no single record. */
export abstract class StoreKnowledge implements Partial<Knowledge<RecordView>> {
  readonly #store: ReadStore;

  constructor(store: ReadStore) {
    this.#store = store;
  }

  recordNow(id: RecordId): Promise<RecordView | undefined> {
    return this.#store.record(id);
  }

  cursor(...of: Parameters<IntakeStore["stream"]>): ReturnType<IntakeStore["stream"]> {
    return this.#store.stream(...of);
  }

  boundTo(...of: Parameters<RecordStore["boundTo"]>): ReturnType<RecordStore["boundTo"]> {
    return this.#store.boundTo(...of);
  }

  mergedTo(binding: Binding): Promise<ServiceId | undefined> {
    return knownMerge(this.#store, binding);
  }

  mergedNow(binding: Binding): Promise<ServiceId | undefined> {
    return this.mergedTo(binding);
  }

  mergedBefore({ id, binding }: Bound<RecordView>): Promise<ServiceId | undefined> {
    return mergedBefore(this.#store, id, binding);
  }

  edited({ inFlight }: RecordView, last: Projection, wanted: Wanted): Promise<Edited> {
    return Promise.resolve(editedAsSeen(last, inFlight?.fields, wanted));
  }
}

import { ParkError, type RecordId } from "#model";
import type { Stream } from "#mapping";
import type { IntakeStore, RecordStore } from "#store";
import type { Deliverable } from "../course.ts";
import { ParentMissing, type Resolver, type Wanted } from "../resolver.ts";

export interface DeletedRecordsDeps<R extends Deliverable> {
  readonly store: Pick<RecordStore, "record"> & Pick<IntakeStore, "cursor">;
  readonly resolver: Resolver;
  /** Binds the record to the one that its natural key names; false when there is none. */
  readonly adopt: (record: R, stream: Stream, wanted: Wanted, signal: AbortSignal) => Promise<boolean>;
}

/**
 * A deleted ERP record without a binding may still exist in the service: the store was lost meanwhile, or another
 * program wrote it. It is bound, so that its deletion is carried out and its children find it.
 */
export class DeletedRecords<R extends Deliverable> {
  readonly #deps: DeletedRecordsDeps<R>;

  constructor(deps: DeletedRecordsDeps<R>) {
    this.#deps = deps;
  }

  /**
   * True when the record was found and bound; it is then due again.
   * @throws {ParkError} E_MATCH_AMBIGUOUS when several records could be it.
   */
  async bind(record: R, stream: Stream, signal: AbortSignal): Promise<boolean> {
    if (stream.match.length === 0) return false;
    const { resolver, adopt } = this.#deps;
    try {
      const wanted = await resolver.resolve(record.id, await stream.identify(record.row), signal);
      return await adopt(record, stream, wanted, signal);
    } catch (thrown) {
      // What has no natural key, or belongs to a record that the service does not have, cannot be there.
      if (thrown instanceof ParkError && thrown.code !== "E_MATCH_AMBIGUOUS") return false;
      if (thrown instanceof ParentMissing && (await this.#areLost(thrown.missing))) return false;
      throw thrown;
    }
  }

  async #areLost(parents: readonly RecordId[]): Promise<boolean> {
    const { store } = this.#deps;
    for (const id of parents) {
      const parent = await store.record(id);
      if (parent?.state === "deleted" || parent?.state === "skipped") return true;
      if (!parent && !(await store.cursor(id.stream)).firstLoad) return true;
    }
    return false;
  }
}

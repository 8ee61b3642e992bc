import { ParkError, type RecordId } from "#model";
import type { Stream } from "#mapping";
import { isRefusal } from "#service";
import type { IntakeStore, RecordStore } from "#store";
import type { Deliverable } from "../course.ts";
import { ParentMissing, type Resolver, type Wanted } from "../resolver.ts";

export interface DeletedRecordsDeps<R extends Deliverable> {
  readonly store: Pick<RecordStore, "record"> & Pick<IntakeStore, "cursor">;
  readonly resolver: Resolver;
  /** Binds the record to the service record with its natural key. Returns false when there is none. */
  readonly adopt: (record: R, stream: Stream, wanted: Wanted, signal: AbortSignal) => Promise<boolean>;
}

/**
 * Binds records that the ERP deleted and that have no binding. They may still exist in the service: the store was lost, or another
 * program wrote them. Once bound, their deletion is carried out and their children find them.
 */
export class DeletedRecords<R extends Deliverable> {
  readonly #deps: DeletedRecordsDeps<R>;

  constructor(deps: DeletedRecordsDeps<R>) {
    this.#deps = deps;
  }

  /**
   * Returns true when the record was found and bound. It is then due again.
   * @throws {ParkError} E_MATCH_AMBIGUOUS when several records match.
   */
  async bind(record: R, stream: Stream, signal: AbortSignal): Promise<boolean> {
    if (stream.match.length === 0) return false;
    const { resolver, adopt } = this.#deps;
    try {
      const wanted = await resolver.resolve(record.id, await stream.identify(record.row), signal);
      return await adopt(record, stream, wanted, signal);
    } catch (thrown) {
      // A refused look is no answer: it may come from a gateway.
      if (isRefusal(thrown)) throw thrown;
      // The service cannot have a record without a natural key, or one whose parent it does not have.
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

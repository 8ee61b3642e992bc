import type { Actor, RecordId } from "#model";

/** What a person's right to be forgotten asks of the store. */
export interface PrivacyStore {
  /**
   * Overwrites what is kept of the record's contents: the ERP's row and its content hash, what was written to the service, errors,
   * the natural key and the exchanges ({@link WatchStore}) of its counterpart, causes of notices that name it, and in its history
   * what was written and the reasons that people gave. Its key, its binding, its parents and the other facts of the history stay.
   * The record is skipped then (a deleted one stays deleted), and its row counts as unreadable with {@link forgottenError}
   * until the ERP shows one again: that is a change, whatever it holds. A watch of the record ends, and its children are woken.
   * The act is in the history, without contents. May be repeated.
   * Durable when resolved; the files of the store then hold no trace of what was overwritten, as far as the store writes its
   * files itself. Rewrites all of them: seconds per gigabyte.
   * @throws {ParkError} E_RECORD_UNKNOWN; E_NOT_FORGETTABLE while something of it is still to be delivered: it is due or
   * claimed, its deletion waits or is parked, a create is open, or the end of an update or a deletion is not known.
   * @throws {RetryError} E_FORGET_UNFINISHED when all is overwritten, but the files could not be rewritten.
   */
  forget(id: RecordId, by: Actor): Promise<void>;
}

import type { Actor, RecordId } from "#model";

/** Carries out a person's right to be forgotten. */
export interface PrivacyStore {
  /**
   * Overwrites everything that the store holds of the record's contents: the ERP's row and its content hash, what was written to the
   * service, errors, the natural key and the exchanges ({@link WatchStore}) of the service's record, causes of notices that name it, and,
   * in its history, the written values and people's reasons. Its key, binding, parents and the other facts of the history stay. The record
   * becomes skipped (a deleted one stays deleted). Its row counts as unreadable with {@link forgottenError} until the ERP shows one again,
   * which always counts as a change. A watch of the record ends, and its children are woken. The history records the act without contents.
   * May be repeated. Durable when resolved: the store's files then hold no trace of the overwritten contents, as far as the store writes
   * its files itself. Rewrites all of them: seconds per gigabyte.
   * @throws {ParkError} E_RECORD_UNKNOWN; E_NOT_FORGETTABLE while part of the record is still to be delivered: it is due or claimed, its
   * deletion waits or is parked, a create is open, or the result of an update or a deletion is not known.
   * @throws {RetryError} E_FORGET_UNFINISHED when everything is overwritten but the files could not be rewritten.
   */
  forget(id: RecordId, by: Actor): Promise<void>;
}

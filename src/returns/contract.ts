import type { Finding, JsonObject, Return, ReturnAnswer, ReturnContent, ReturnId, ReturnKind, ServiceId } from "#model";

/** A record of the service, read as a whole: the head with all its lines, unchanged while it was read. */
export interface WholeRecord {
  /** The service id as text; for `state`, the ERP's key. */
  readonly subject: string;
  /** Undefined for the `state` of a record that the service does not have. */
  readonly serviceId: ServiceId | undefined;
  /** When it was last modified, in epoch milliseconds of the service's clock. */
  readonly modifiedAt: number;
  /** Expressions see this: all fields that the stream names; the lists that `each` names hold the lines' records, with `id`. */
  readonly record: JsonObject;
}

/** A subject as a list showed it. */
export interface Listed {
  readonly subject: string;
  /** What the list showed of its content: when it was modified, and its totals. Equal texts show no change. Absent where a list shows nothing of it. */
  readonly head?: string;
}

/** Finds and reads what one stream returns: records of the service or, for `state`, records of the store. Only reads. */
export interface ReturnReader {
  /**
   * Subjects that may have to be returned, or taken back, since `cursor`, in batches; the last one carries the cursor of the next look. `null`: since
   * `beginAt`. Asking twice gives the same subjects or more.
   */
  changed(
    cursor: JsonObject | null,
    beginAt: number,
    signal: AbortSignal,
  ): AsyncIterable<{ readonly listed: readonly Listed[]; readonly cursor: JsonObject }>;

  /** All subjects that are final now, since `beginAt`: finds what `changed` can miss. */
  all(beginAt: number, signal: AbortSignal): AsyncIterable<readonly Listed[]>;

  /**
   * The record as a whole; undefined when the service does not have it.
   * @throws {RetryError} E_RETURN_MOVING when it changed during three readings.
   */
  whole(subject: string, signal: AbortSignal): Promise<WholeRecord | undefined>;
}

/** Makes a return's content of a record. */
export interface ReturnMapper {
  /** Whether the record is to be returned: `when` of the stream. Always true for `state`. */
  isWanted(record: JsonObject): Promise<boolean>;
  /** When it became final (approved or finished), in epoch milliseconds; undefined if the record does not say. */
  finalAt(record: JsonObject): number | undefined;
  /**
   * Fields and lines, with keys and names of the ERP, amounts rounded. `before`: the content that this one replaces, for the lines' changes.
   * @throws {ParkError} E_RETURN_KEY when the ERP's key or number of something is unknown; E_RETURN_SUM when rounded lines do not add up to the
   * rounded total; E_MAPPING. {@link WaitError} E_RETURN_WAITS when the key will be known later.
   */
  content(whole: WholeRecord, before: ReturnContent | undefined, signal: AbortSignal): Promise<ReturnContent>;
  /** What a cancellation says: the former fields, all lines removed. */
  cancelled(before: ReturnContent): ReturnContent;
  /** SHA-256 of the statement itself: whether it cancels, the fields, and the lines without the removed ones and without their differences. */
  hash(kind: ReturnKind, content: ReturnContent): string;
}

/** Where returns go: an inbox of the ERP. It only adds, and reads; it changes and deletes nothing. */
export interface Destination extends AsyncDisposable {
  /**
   * Hands it over, all or nothing: lines first, then the head. May be called for several subjects at once: the source's `connections` say how many
   * are handed over together. `present`: the inbox has this version of the subject already, with the same hash,
   * perhaps under the name of another installation (a store that was lost). `answered`: the ERP has answered this version and deleted it, so what it
   * said is unknown.
   * @throws {ParkError} E_RETURN_CONFLICT when the inbox has this version with another hash, or a newer one: two installations, or a restored store. E_RETURN_INBOX
   * when table, column or right is missing. {@link ParkError} E_RETURN_UNCERTAIN when files were taken and their arrival is unknown. {@link RetryError} when it is
   * locked or does not answer; handing over again is safe.
   */
  deliver(item: Return, signal: AbortSignal): Promise<"written" | "present" | "answered">;

  /** The highest version of each subject that the inbox has ever had, as far as it can be seen; others are absent. */
  highest(stream: string, subjects: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, number>>;

  /** What this version says in the inbox, no matter who wrote it; undefined where it has none that can be read. Absent where the ERP takes what is handed over. */
  content?(id: ReturnId, signal: AbortSignal): Promise<ReturnContent | undefined>;

  /** The ERP's answers to these returns, in their order; undefined for unanswered ones. Found by stream, subject and version, whichever name they have. */
  answers(ids: readonly ReturnId[], signal: AbortSignal): Promise<readonly (ReturnAnswer | undefined)[]>;

  /** Checks tables, columns, rights (may add, may not delete), the unique key and the clock. Leaves nothing behind. */
  check(signal: AbortSignal): Promise<readonly Finding[]>;
}

/** What follows an accepted return in the service, once. */
export interface Consequence {
  /** @throws as {@link Service} does; E_RETURN_FOLLOW when the service has another value already. Repeating it is safe. */
  carryOut(item: Return, answer: ReturnAnswer, signal: AbortSignal): Promise<void>;
}

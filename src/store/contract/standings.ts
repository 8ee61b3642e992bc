import type { ErrorCode, Key, RecordState, ServiceId, StreamName } from "#model";

/** Where a record stands, without its contents. */
export interface Standing {
  readonly key: Key;
  /** Never `due` or `claimed`, nor a wait that ends: these pass. */
  readonly state: Exclude<RecordState, "due" | "claimed">;
  readonly code: ErrorCode | undefined;
  readonly serviceId: ServiceId | undefined;
}

/** What people of the ERP are told about the records of a stream. */
export interface StandingStore {
  /**
   * The next settled records of a stream in the order of their keys, after those of an earlier page; `after` begins with an empty text. Without a
   * `next`, there are no more. Cheap: it reads no contents, and no records of other pages.
   */
  page(
    stream: StreamName,
    after: Key,
    limit: number,
  ): Promise<{ readonly standings: readonly Standing[]; readonly next: Key | undefined }>;
}

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
   * The next settled records of a stream, after those of an earlier page; `after` begins at 0. Without a `next`, there are no more. Cheap enough to read
   * a whole stream often: it reads no contents.
   */
  page(
    stream: StreamName,
    after: number,
    limit: number,
  ): Promise<{ readonly standings: readonly Standing[]; readonly next: number | undefined }>;
}

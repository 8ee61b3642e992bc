import type { Actor, ErrorFacts, RecordId, ReturnId, StreamName } from "#model";
import type { Stream } from "#mapping";
import type {
  Act,
  AdoptionReport,
  BlockedPolicy,
  Given,
  NotedGroup,
  ReturnStatus,
  StreamPlan,
  UpkeepFacts,
} from "#operator";
import type { HeldDeletions, RecordSides, StreamStatus } from "#pipeline";
import type { QueueKind } from "#queue";
import type { ServiceState } from "#service";
import type {
  ActStore,
  AuditRecord,
  WatchedExchange,
  GroupStore,
  HistoryStore,
  RecordStore,
  RecordView,
  ReturnStore,
  StoredReturn,
} from "#store";

/** The state of the daemon. */
export interface Overview {
  readonly startedAt: number;
  readonly streams: readonly StreamStatus[];
  /** How monitoring treats blocked records. */
  readonly blockedRecords: BlockedPolicy;
  readonly service: ServiceState;
  /** Undefined if the queue does not answer. */
  readonly queue: { readonly kind: QueueKind; readonly waiting: number; readonly active: number } | undefined;
  /** Backups, comparisons and notification channels. */
  readonly upkeep?: UpkeepFacts;
  /** The lane back to the ERP. */
  readonly returns?: readonly ReturnStatus[];
}

/** One return, with what is around it. */
export interface ReturnDetail {
  readonly item: StoredReturn;
  /** All versions of its subject, newest first. */
  readonly versions: readonly StoredReturn[];
  /** What people decided about its subject, newest first. */
  readonly history: readonly AuditRecord[];
  /** The record of the forward lane that it is about. */
  readonly record: RecordId | undefined;
}

/** What the pages read of the lane back to the ERP. */
export interface ReturnSource {
  statuses(): Promise<readonly ReturnStatus[]>;
  readonly find: ReturnStore["find"];
  one(id: ReturnId): Promise<ReturnDetail | undefined>;
}

/** Why one record is the way it is. */
export interface RecordDetail {
  readonly record: RecordView;
  /** What keeps changes of its stream from the service, one sentence each. */
  readonly obstacles: readonly string[];
  readonly sides: RecordSides;
  /** Its writes and decisions, newest first. */
  readonly history: readonly AuditRecord[];
  /** The words by which people know it; empty if there are none. */
  readonly title?: string;
  /** Its page in the service; undefined if it is not bound, or SERVICE_PAGE_URL is not set. */
  readonly servicePage?: string | undefined;
  /** Whether its stream creates records; undefined for one that is no longer in the sync file. */
  readonly create?: Stream["create"] | undefined;
  /** Its requests and answers while it was watched, newest first. */
  readonly exchanges: readonly WatchedExchange[];
}

/** What the next run would write of one stream, and when that was computed. */
export interface DatedPlan {
  readonly plan: StreamPlan;
  readonly at: number;
}

/** The progress of comparing the ERP's records with the service's, and since when. */
export type AdoptionState =
  | { readonly kind: "never" }
  | { readonly kind: "running"; readonly at: number }
  | { readonly kind: "failed"; readonly at: number; readonly error: ErrorFacts }
  | { readonly kind: "done"; readonly at: number; readonly reports: readonly AdoptionReport[] };

/** Everything that the pages need: reads, and what a person may do. */
export interface StatusSource {
  /** The streams of the sync file. */
  readonly streams: readonly StreamName[];
  /** The notification channels that are set up. */
  readonly channels: readonly string[];
  overview(): Promise<Overview>;
  readonly records: RecordStore["records"];
  /** The words by which people know each of these records, in their order; empty where there are none. */
  readonly titles: (records: readonly RecordView[]) => Promise<string[]>;
  /** The same for records by their ids; empty also for one that is not known. */
  readonly names: (ids: readonly RecordId[]) => Promise<string[]>;
  /** All records that need attention, by cause. */
  groups(): Promise<readonly NotedGroup[]>;
  /** Notes about groups of records with the same cause, by the group's id. */
  readonly groupNotes: GroupStore["groupNotes"];
  readonly returns: ReturnSource;
  /** What people did. */
  readonly recentActs: ActStore["recent"];
  /** What each stream did, hour by hour. */
  readonly history: HistoryStore["history"];
  /** `readService`: includes what the service holds now, read by one request. */
  record(id: RecordId, options?: { readonly readService: boolean }): Promise<RecordDetail | undefined>;
  readonly boundTo: RecordStore["boundTo"];
  /** What the next run would write; undefined while a changed mapping is still being counted. */
  plan(stream: StreamName): Promise<DatedPlan | undefined>;
  /** Undefined unless deletions wait for a person; includes what the sync file makes of one. */
  heldDeletions(stream: StreamName): Promise<DecidableDeletions | undefined>;
  readonly adoption: () => AdoptionState;
  /** Carries out an act; resolves and rejects as the act does. */
  carryOut(act: Act, given: Given, by: Actor): Promise<unknown>;
}

export interface DecidableDeletions extends HeldDeletions {
  /** `set`: the records stay, and some of their fields are set. */
  readonly deletion: Stream["deletion"];
}

import type { ErrorFacts, RecordId, StreamName } from "#model";
import type { Stream } from "#mapping";
import type { AdoptionReport, BlockedPolicy, NotedGroup, StreamPlan, UpkeepFacts } from "#operator";
import type { HeldDeletions, RecordSides, StreamStatus } from "#pipeline";
import type { ServiceState } from "#service";
import type { ActStore, AuditRecord, Exchange, GroupStore, HistoryStore, RecordStore, RecordView } from "#store";
import type { PageActs } from "./acts.ts";

/** Where the daemon stands. */
export interface Overview {
  readonly startedAt: number;
  readonly streams: readonly StreamStatus[];
  /** How monitoring rates blocked records. */
  readonly blockedRecords: BlockedPolicy;
  readonly service: ServiceState;
  /** Undefined: the queue does not answer. */
  readonly queue: { readonly waiting: number; readonly active: number } | undefined;
  /** Backups, comparisons and channels of notifications. */
  readonly upkeep?: UpkeepFacts;
}

/** Why one record is the way it is. */
export interface RecordDetail {
  readonly record: RecordView;
  /** What keeps changes of its stream from the service, a sentence each. */
  readonly obstacles: readonly string[];
  readonly sides: RecordSides;
  /** Its writes and decisions, newest first. */
  readonly history: readonly AuditRecord[];
  /** Its requests and answers while it was watched, newest first. */
  readonly exchanges: readonly Exchange[];
}

/** What the next run would write of one stream, and when that was computed. */
export interface DatedPlan {
  readonly plan: StreamPlan;
  readonly at: number;
}

/** How the comparison of the ERP's records with the service's stands, and since when. */
export type AdoptionState =
  | { readonly kind: "never" }
  | { readonly kind: "running"; readonly at: number }
  | { readonly kind: "failed"; readonly at: number; readonly error: ErrorFacts }
  | { readonly kind: "done"; readonly at: number; readonly reports: readonly AdoptionReport[] };

/** All that the pages ask: reads, and what a person may do. */
export interface StatusSource {
  /** The streams of the sync file. */
  readonly streams: readonly StreamName[];
  /** The channels of notifications that are set up. */
  readonly channels: readonly string[];
  overview(): Promise<Overview>;
  readonly records: RecordStore["records"];
  /** All records that are held up, by cause. */
  groups(): Promise<readonly NotedGroup[]>;
  /** What people wrote down about groups of records with the same cause, by the group's id. */
  readonly groupNotes: GroupStore["groupNotes"];
  /** What people did. */
  readonly recentActs: ActStore["recent"];
  /** What each stream did, hour by hour. */
  readonly history: HistoryStore["history"];
  /** `readService`: with what the service holds now, by one request. */
  record(id: RecordId, options?: { readonly readService: boolean }): Promise<RecordDetail | undefined>;
  readonly boundTo: RecordStore["boundTo"];
  /** What the next run would write; undefined while a changed mapping is still being counted. */
  plan(stream: StreamName): Promise<DatedPlan | undefined>;
  /** Undefined where no deletion waits for a person; with what the sync file makes of one. */
  heldDeletions(stream: StreamName): Promise<DecidableDeletions | undefined>;
  readonly adoption: () => AdoptionState;
  readonly acts: PageActs;
}

export interface DecidableDeletions extends HeldDeletions {
  /** `set`: the records stay, and fields of them are set. */
  readonly deletion: Stream["deletion"];
}

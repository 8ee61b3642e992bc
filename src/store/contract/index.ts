import type { Clock } from "#model";
import type { Redact } from "#telemetry";
import type { Cluster } from "./cluster.ts";
import type { DeliveryStore } from "./deliveries.ts";
import type { IntakeStore } from "./intake.ts";
import type { MaintenanceStore } from "./maintenance.ts";
import type { MatchStore } from "./matching.ts";
import type { NamingStore } from "./naming.ts";
import type { NoteStore, ReferenceStore } from "./notes.ts";
import type { OperatorStore } from "./operator.ts";
import type { ActStore } from "./people/acts.ts";
import type { CareStore } from "./people/care.ts";
import type { GroupStore } from "./people/groups.ts";
import type { HistoryStore } from "./people/history.ts";
import type { NoticeStore } from "./people/notices.ts";
import type { PrivacyStore } from "./people/privacy.ts";
import type { WatchStore } from "./people/watches.ts";
import type { RecordStore } from "./records.ts";
import type { ReturnStore } from "./returns.ts";
import type { RevisionStore, ScheduleStore } from "./schedule.ts";
import type { RoundStore } from "./rounds.ts";
import type { StandingStore } from "./standings.ts";
import type { SweepStore } from "./sweeps.ts";

/**
 * The source of truth. Each role has its own interface, named after its user: ask only for the role that you need. Methods are async and
 * coarse: one method is one transaction and one step, so that a database server can hold the store too.
 *
 * When a promise resolves, its step is committed. On a server, every step survives a crash of that server, because this process outlives
 * the crash and builds on confirmed steps. In a file, steps that promise durability survive a power cut; all others at least survive a
 * kill -9. A power cut may undo the steps since the last durable one; the next process starts from there and repeats them.
 *
 * Methods reject with:
 * - E_STORE_FULL, E_STORE_READONLY, E_STORE_CORRUPT or E_STORE_FAILED (StopError) when the disk fails: nothing was recorded, so nothing may
 * be sent. On a server, E_STORE_READONLY is a RetryError if the server is a standby, which may be promoted.
 * - E_STORE_LOCKED (RetryError) when another process wrote for too long.
 * - E_STORE_UNREACHABLE (RetryError) when a server does not answer: the step may have been recorded all the same.
 * - E_STORE_LOST when another daemon has the store, E_STORE_REWOUND when a failover lost commits, E_STORE_CLOSED after disposal.
 * - E_STORE_VALUE (ParkError) when the record holds a value that cannot be stored.
 * - E_STORE_STATE when the record's state does not allow the step, such as a second create while one is open: a defect of the caller.
 */
export interface Store
  extends
    IntakeStore,
    ScheduleStore,
    DeliveryStore,
    RecordStore,
    OperatorStore,
    SweepStore,
    MatchStore,
    NamingStore,
    NoteStore,
    ReferenceStore,
    MaintenanceStore,
    RevisionStore,
    AsyncDisposable {
  readonly acts: ActStore;
  readonly notices: NoticeStore;
  readonly groups: GroupStore;
  readonly care: CareStore;
  readonly history: HistoryStore;
  readonly privacy: PrivacyStore;
  readonly cluster: Cluster;
  readonly returns: ReturnStore;
  readonly rounds: RoundStore;
  readonly standings: StandingStore;
  readonly watches: WatchStore;

  /** The clock for all times in the store. If several processes share the store, it is the database's clock. */
  readonly clock: Clock;
}

/** How long a claim's lease lasts, in milliseconds: longer than the slowest request, short enough to retry a dead worker's record soon. */
export const DEFAULT_LEASE_MS = 60_000;

/** How a daemon describes itself to the other members of a cluster. */
export interface JoiningMember {
  readonly version: string;
  /** Identifies the queue, which all members must share. */
  readonly queue: string;
  /** Identifies the mapping: this sync file as compiled by this version. Only members with the leader's mapping deliver. */
  readonly mapping: string;
}

/**
 * Why a daemon cannot work beside the one that holds the store: this one has no queue for several, or that one has none; that one is
 * changing the tables; that one works on the tables of another version.
 */
export type WaitReason = "alone" | "holderAlone" | "tablesChange" | "otherTables";

/** How a daemon waits on standby. */
export interface Standby {
  /** Aborts the wait: opening rejects with the reason. */
  readonly signal: AbortSignal;
  /**
   * Called when the wait begins, and again when it is for another daemon or for another reason, with the name of the daemon that holds the
   * store. The returned object is disposed when that wait ends.
   */
  readonly waits: (holder: string, why: WaitReason) => Promise<AsyncDisposable>;
}

/** Who opens a store: what each may do is at {@link OpenStoreOptions.as}. */
export type StoreUser = "daemon" | "operator" | "reader";

export interface OpenStoreOptions {
  /**
   * `daemon` excludes other daemons until disposed (the operating system frees the lock after a kill -9) and gives back the claims of a
   * dead daemon. `operator` reads and answers beside a running daemon. `reader` only reads, beside a daemon and without one: it creates
   * and migrates nothing, and the database itself refuses each of its steps.
   * @throws {StopError} E_STORE_BUSY when another live daemon holds it; for a reader E_STORE_UNPREPARED when there is no store of this
   * version.
   */
  readonly as: StoreUser;
  /** Removes secrets from errors and notes before they are stored. By default no secrets are known. */
  readonly redact?: Redact;
  /** How long a claim's lease lasts unless renewed, in milliseconds. */
  readonly leaseMs?: number;
  /** Waits while another daemon holds a store in PostgreSQL, and takes over when it ends. Absent: opening is refused at once. */
  readonly standby?: Standby;
  /** Joins the cluster of a store in PostgreSQL. Absent: this daemon works alone. */
  readonly joins?: JoiningMember;
}

export * from "./intake.ts";
export * from "./schedule.ts";
export * from "./deliveries.ts";
export * from "./records.ts";
export * from "./operator.ts";
export * from "./sweeps.ts";
export * from "./matching.ts";
export * from "./naming.ts";
export * from "./notes.ts";
export * from "./cluster.ts";
export * from "./returns.ts";
export * from "./rounds.ts";
export * from "./standings.ts";
export * from "./maintenance.ts";
export * from "./people/acts.ts";
export * from "./people/notices.ts";
export * from "./people/groups.ts";
export * from "./people/care.ts";
export * from "./people/history.ts";
export * from "./people/privacy.ts";
export * from "./people/watches.ts";

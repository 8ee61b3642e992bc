import type { Clock } from "#model";
import type { Redact } from "#telemetry";
import type { DeliveryStore } from "./deliveries.ts";
import type { IntakeStore } from "./intake.ts";
import type { MaintenanceStore } from "./maintenance.ts";
import type { MatchStore } from "./matching.ts";
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
import type { ReplicaStore } from "./replicas.ts";
import type { RevisionStore, ScheduleStore } from "./schedule.ts";
import type { SweepStore } from "./sweeps.ts";

/**
 * The source of truth. Each role has a file of its own, named after who uses it: ask for the role you need.
 * Async and coarse: one method = one transaction = one step of the story, so that it can be kept on a server
 * database too. Methods reject with a StopError (E_STORE_FULL, E_STORE_READONLY, E_STORE_CORRUPT, E_STORE_FAILED) when
 * the disk does: nothing was then recorded, and nothing may be sent. E_STORE_LOCKED (a RetryError) says that another
 * process wrote for too long; E_STORE_UNREACHABLE (another one) that a server does not answer, and that a step may have been
 * recorded all the same; E_STORE_READONLY of a server is a RetryError where it is a standby, which may be promoted; E_STORE_LOST that another daemon has the store; E_STORE_REWOUND that a failover lost commits;
 * E_STORE_CLOSED that the store was disposed; E_STORE_VALUE (a ParkError) that the record holds
 * a value that cannot be kept. A step that the record's story does not allow,
 * such as a second create while one is open, is refused with E_STORE_STATE: a defect of the caller.
 * What a method promises is durable when its promise resolves. On a server every step survives a crash of that server, which this
 * process outlives: it builds on what was confirmed, such as the next batch on the one before. In a file, the steps whose docstring
 * says so survive a power cut; the others at least a kill -9 of this process. A power cut ends this process too, and may take
 * the steps since the last durable one: the next process builds on the moment before them, and repeats them.
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
  readonly replicas: ReplicaStore;
  readonly watches: WatchStore;

  /**
   * False while another daemon may have taken the store over: nothing may then be sent to the service, since the other one may be
   * delivering the same record. Asked right before each write; answers from memory.
   */
  mayWrite(): boolean;

  /** The clock of all times in the store: the database's, where several processes work on it. */
  readonly clock: Clock;
}

/** Long enough for the slowest request with its time-out, short enough that a dead worker's record is not missed. */
export const DEFAULT_LEASE_MS = 60_000;

/** How a daemon describes itself to the other replicas. */
export interface JoiningReplica {
  readonly version: string;
  /** Names the queue: all replicas have the same. */
  readonly queue: string;
  /** Names the mapping, of this sync file by this version: only replicas with the leader's deliver. */
  readonly mapping: string;
}

/** How a daemon stands by. */
export interface Standby {
  /** Ends the wait: opening rejects with the reason. */
  readonly signal: AbortSignal;
  /** Called when the wait begins, with the name of the daemon that holds the store; what it returns is disposed when it ends. */
  readonly waits: (holder: string) => Promise<AsyncDisposable>;
}

export interface OpenStoreOptions {
  /**
   * `daemon` holds the store alone among daemons until disposed (the operating system frees it after a kill -9) and gives
   * back the claims of a dead one. `operator` reads and answers beside a running daemon.
   * @throws {StopError} E_STORE_BUSY when another live daemon holds it.
   */
  readonly as: "daemon" | "operator";
  /** Takes secrets out of errors and notes before they are written down; none are known unless given. */
  readonly redact?: Redact;
  /** How long a claim lasts without being renewed, in milliseconds. */
  readonly leaseMs?: number;
  /** Waits while another daemon holds a store in PostgreSQL, instead of being refused: it takes over when that one ends. */
  readonly standby?: Standby;
  /** Joins the replicas of a store in PostgreSQL. Absent: works alone. */
  readonly joins?: JoiningReplica;
}

export * from "./intake.ts";
export * from "./schedule.ts";
export * from "./deliveries.ts";
export * from "./records.ts";
export * from "./operator.ts";
export * from "./sweeps.ts";
export * from "./matching.ts";
export * from "./notes.ts";
export * from "./replicas.ts";
export * from "./maintenance.ts";
export * from "./people/acts.ts";
export * from "./people/notices.ts";
export * from "./people/groups.ts";
export * from "./people/care.ts";
export * from "./people/history.ts";
export * from "./people/privacy.ts";
export * from "./people/watches.ts";

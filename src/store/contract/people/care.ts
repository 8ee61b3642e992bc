import type { ErrorCode } from "#model";

/** The last scheduled backup. */
export interface BackupState {
  /** When one was last tried. */
  readonly triedAt: number;
  /** The last copy that was opened and checked. */
  readonly verified?: {
    readonly at: number;
    readonly path: string;
    readonly sizeBytes: number;
    readonly recordCount: number;
  };
  /** Why the last try failed; absent where it succeeded. */
  readonly failure?: string;
  /** Absent too where an earlier version wrote the failure down. */
  readonly failureCode?: ErrorCode;
}

/** The last scheduled comparison with the service. */
export interface DriftState {
  readonly triedAt: number;
  /** When a comparison last reached its end. */
  readonly comparedAt?: number;
  /** Differences by stream and kind, of the last comparison that reached its end. */
  readonly drifts?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly failure?: string;
}

/** What scheduled care remembers: a restart does not begin its intervals again. */
export interface CareStore {
  backupState(): Promise<BackupState | undefined>;
  saveBackupState(state: BackupState): Promise<void>;
  driftState(): Promise<DriftState | undefined>;
  saveDriftState(state: DriftState): Promise<void>;
}

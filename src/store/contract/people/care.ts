import type { ErrorCode } from "#model";

/** The last scheduled backup. */
export interface BackupState {
  /** When a backup was last attempted. */
  readonly triedAt: number;
  /** The last copy that was opened and verified. */
  readonly verified?: {
    readonly at: number;
    readonly path: string;
    readonly sizeBytes: number;
    readonly recordCount: number;
  };
  /** Why the last attempt failed; absent if it succeeded. */
  readonly failure?: string;
  /** Also absent if an earlier version stored the failure. */
  readonly failureCode?: ErrorCode;
}

/** The last scheduled comparison with the service. */
export interface DriftState {
  readonly triedAt: number;
  /** When a comparison last completed. */
  readonly comparedAt?: number;
  /** Differences found by the last completed comparison, by stream and kind. */
  readonly drifts?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly failure?: string;
}

/** The state of scheduled maintenance: a restart does not restart its intervals. */
export interface CareStore {
  backupState(): Promise<BackupState | undefined>;
  saveBackupState(state: BackupState): Promise<void>;
  driftState(): Promise<DriftState | undefined>;
  saveDriftState(state: DriftState): Promise<void>;
}

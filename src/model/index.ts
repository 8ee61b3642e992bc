export type { Actor } from "./actor.ts";
export { localTime } from "./local-time.ts";
export { canonicalJson, isJsonObject, type Json, type JsonObject } from "./json.ts";
export {
  joinKey,
  splitKey,
  recordLabel,
  recordName,
  type Key,
  type RecordId,
  type Row,
  type StreamName,
} from "./record.ts";
export { contentHash, type Change, type ChangeBatch, type Cursor, type UnreadableRow } from "./change.ts";
export {
  RECORD_STATES,
  type Binding,
  type Finding,
  type Outcome,
  type Projection,
  type RecordState,
  type ResourceName,
  type ServiceId,
} from "./outcome.ts";
export {
  SyncError,
  RetryError,
  WaitError,
  ParkError,
  StopError,
  errorFacts,
  errorText,
  type ErrorCode,
  type ErrorExtras,
  type ErrorFacts,
  type ErrorFamily,
  type RetryExtras,
  type WaitExtras,
} from "./errors.ts";
export { LONGEST_TIMER_MS, sleep, systemClock, type Clock } from "./clock.ts";
export { backoffMs, type Backoff } from "./backoff.ts";
export { duration, timeLimit } from "./duration.ts";
export { onAbort } from "./abort.ts";
export { ListenerSet } from "./listener-set.ts";
export { nearest } from "./nearest.ts";
export { oneLine, printable } from "./printable.ts";
export { secretsInAddress } from "./address.ts";
export { isLoopback } from "./loopback.ts";

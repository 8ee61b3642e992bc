export { programFile, threadFile, threadOptions } from "./program-files.ts";
export {
  canonicalJson,
  DEEPEST_LEVELS,
  isJsonObject,
  nestsTooDeeply,
  parsedJson,
  type Json,
  type JsonObject,
} from "./json.ts";
export {
  isAscending,
  joinKey,
  splitKey,
  parseRecord,
  recordLabel,
  recordName,
  type Key,
  type RecordId,
  type Row,
  type StreamName,
} from "./record.ts";
export {
  contentHash,
  type Change,
  type ChangeBatch,
  type Cursor,
  type FileReport,
  type UnreadableRow,
} from "./change.ts";
export { errorCodes, errorEntry, type ErrorCode } from "./error-catalogue/error-catalogue.ts";
export type { ErrorEntry } from "./error-catalogue/error-page.ts";
export {
  RECORD_STATES,
  type Actor,
  type Binding,
  type Finding,
  type Outcome,
  type Projection,
  type RecordState,
  type ResourceName,
  type ServiceId,
} from "./outcome.ts";
export { expectOwnAnswer, ForeignAnswer } from "./own-answer.ts";
export {
  SyncError,
  RetryError,
  WaitError,
  ParkError,
  StopError,
  asError,
  codeOf,
  errorFacts,
  errorText,
  messageOf,
  type ErrorExtras,
  type ErrorFacts,
  type ErrorFamily,
  type RetryExtras,
  type WaitExtras,
} from "./errors.ts";
export {
  DAY_MS,
  HOUR_MS,
  LONGEST_TIMER_MS,
  MINUTE_MS,
  backoffMs,
  duration,
  instantText,
  isTimeZone,
  localTime,
  msUntilNext,
  repeatedly,
  sleep,
  systemClock,
  timeLimit,
  untilHolds,
  untilNext,
  within,
  type Backoff,
  type Clock,
} from "./time.ts";
export { onAbort, untilAborted, whenAborted } from "./abort.ts";
export { Bell } from "./bell.ts";
export { ListenerSet } from "./listener-set.ts";
export { meantHint, nearest } from "./nearest.ts";
export { isHarmless } from "./harmless.ts";
export { beginningOf, counted, grouped, oneLine, printable, shortened, textLines } from "./text.ts";
export { isLoopback, secretsInAddress, splitHosts } from "./address.ts";
export { utf8Fault, type Utf8Fault } from "./utf8.ts";
export {
  HANDED_STATES,
  isHanded,
  RETURN_STATES,
  returnName,
  type Return,
  type ReturnAnswer,
  type ReturnContent,
  type ReturnId,
  type ReturnKind,
  type ReturnLine,
  type ReturnState,
  type ReturnValue,
} from "./returns.ts";

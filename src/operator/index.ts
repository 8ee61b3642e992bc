export { attentionStates, meaningOf, retriableStates } from "./record-states.ts";
export { healsItself, knownRemedyOf, recordRemedy, remedyOf, type Concerned } from "./remedies.ts";
export { ErrorGroups, type ErrorGroup } from "./groups.ts";
export { urgencyOf, type BlockedPolicy, type Urgency } from "./urgency.ts";
export { withIsoTimes } from "./json-view.ts";
export { recordWord, shellQuoted } from "./shell.ts";
export { attentionOf, listHints } from "./attention.ts";
export { arrivalText, duration } from "./figures.ts";
export { csvText } from "./csv.ts";
export { paceText } from "./pace-text.ts";
export { exchangeEnd } from "./exchange-end.ts";
export { actorText, actText, whoText } from "./actor-text.ts";
export { eachRecord } from "./each-record.ts";
export { retry, retryGroup, type RetryInput } from "./acts/retry.ts";
export { skip, type Skipped, type SkipInput } from "./acts/skip.ts";
export { bind, knownRecord, labelOf, resolve, type Bound } from "./acts/resolve.ts";
export { longestWatchMs, watchRecord, type WatchInput } from "./acts/watch.ts";
export { unbind } from "./acts/unbind.ts";
export { forget, forgettable, otherPlaces, type Forgettable } from "./acts/forget.ts";
export { rereadKeys, rereadStream, type Reread } from "./acts/reread.ts";
export { confirmPlan } from "./acts/change.ts";
export { planStream, type StreamPlan } from "./plan/stream-plan.ts";
export { confirmText, csvHead, csvRows, deliveryText, plannedCounts, planText, valueText } from "./plan/plan-text.ts";
export { adoptionReport, adoptionVerdicts, type AdoptionReport } from "./plan/adoption-report.ts";
export { confirmDeletions } from "./acts/deletions.ts";
export { blindTexts, decideAdoption } from "./acts/adoption.ts";
export {
  hasGrown,
  isSnoozed,
  knownGroup,
  noteGroup,
  notedGroups,
  readGroups,
  type GroupNoteInput,
  type NotedGroup,
} from "./acts/group-notes.ts";
export { driftFound, readUpkeep, upkeepFailures, upkeepText, type UpkeepFacts } from "./upkeep-text.ts";
export { pollNow } from "./acts/poll.ts";
export { pause, resume, type PauseInput } from "./acts/pause.ts";

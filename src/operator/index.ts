export {
  attentionStates,
  meaningOf,
  retriableStates,
  attentionLines,
  attentionOf,
  listHints,
  urgencyOf,
  type BlockedPolicy,
  type Urgency,
} from "./state/attention.ts";
export { healsItself, knownRemedyOf, recordRemedy, remedyOf, type Concerned } from "./state/remedies.ts";
export { ErrorGroups, groupIdOf, type ErrorGroup } from "./state/groups.ts";
export { unlistedStreams, type UnlistedStream } from "./state/unlisted-streams.ts";
export { withIsoTimes } from "./text/json-view.ts";
export { recordWord, shellQuoted } from "./text/shell.ts";
export { arrivalText, duration, exchangeEnd, paceText } from "./text/figures.ts";
export { queueText } from "./text/queue-text.ts";
export { csvText } from "./text/csv.ts";
export { actorText, actText, whoText } from "./text/actor-text.ts";
export { retry, retryGroup, type RetryInput } from "./acts/retry.ts";
export { skip, type Skipped, type SkipInput } from "./acts/skip.ts";
export { bind, knownRecord, labelOf, resolve, unbind, type Bound } from "./acts/resolve.ts";
export { longestWatchMs, watchRecord, type WatchInput } from "./acts/watch.ts";
export { forget, forgettable, otherPlaces, type Forgettable } from "./acts/forget.ts";
export { pollNow, rereadKeys, rereadStream, type Reread } from "./acts/reread.ts";
export { confirmDeletions, confirmPlan, heldCount } from "./acts/confirm.ts";
export { settleFile } from "./acts/settle-file.ts";
export { planStream, type StreamPlan, type StreamPlanDeps } from "./plan/stream-plan.ts";
export {
  mappingHashes,
  noPlan,
  PlanFileText,
  readPlanLines,
  type PlanHead,
  type PlanRecord,
} from "./plan/file/plan-file.ts";
export { differencesText, PlanCheck, type Checked } from "./plan/file/plan-check.ts";
export { MARKDOWN_SAMPLES, planMarkdown } from "./plan/plan-markdown.ts";
export {
  confirmText,
  csvHead,
  csvRows,
  deliveryText,
  plannedAct,
  plannedCounts,
  planText,
  valueText,
} from "./plan/plan-text.ts";
export {
  adoptionExamples,
  adoptionReport,
  adoptionVerdicts,
  type AdoptionReport,
  blindTexts,
  decideAdoption,
} from "./acts/adoption.ts";
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
export {
  driftFound,
  readUpkeep,
  replicaState,
  upkeepFailures,
  upkeepText,
  type UpkeepFacts,
} from "./text/upkeep-text.ts";
export { pause, resume, type PauseInput, type StreamPause } from "./acts/pause.ts";

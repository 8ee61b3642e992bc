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
export { retry, retryAct, type RetryInput } from "./acts/retry.ts";
export { retryGroup, retryGroupAct } from "./acts/retry-group.ts";
export { skip, type Skipped, type SkipInput } from "./acts/skip.ts";
export { resolve } from "./acts/create.ts";
export { bind, bindAct, type Bound } from "./acts/bind.ts";
export { unbind } from "./acts/unbind.ts";
export { knownRecord, knownStream, labelOf } from "./acts/known-record.ts";
export { longestWatchMs, watchRecord, type WatchInput } from "./acts/watch.ts";
export { forget, forgettable, otherPlaces, type Forgettable } from "./acts/forget.ts";
export { pollNow } from "./acts/poll.ts";
export { rereadKeys, type Reread } from "./acts/reread-record.ts";
export { rereadStream } from "./acts/reread-stream.ts";
export { confirmDeletions, deletionsAct } from "./acts/deletions.ts";
export { confirmPlan, heldCount, planAct } from "./acts/plan.ts";
export { settleFile } from "./acts/files.ts";
export { channelTestAct } from "./acts/channel-test.ts";
export { noChannel, type ChannelTest } from "./state/channel-tests.ts";
export { compareAct } from "./acts/compare.ts";
export { noteAct, noteGroup, type GroupNoteInput } from "./acts/note.ts";
export { sameSnooze, textMax, type Sent } from "./acts/inputs.ts";
export { acts } from "./acts/register.ts";
export {
  answerOf,
  givenBy,
  missingIn,
  problemIn,
  type Act,
  type SeenTargets,
  type TargetKind,
  type ActForm,
  type DaemonSystems,
  type FormField,
  type Given,
  type Targets,
} from "./acts/act.ts";
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
  adoptAct,
  adoptionExamples,
  adoptionReport,
  adoptionVerdicts,
  type AdoptionReport,
  blindTexts,
  decideAdoption,
} from "./acts/adopt.ts";
export { hasGrown, isSnoozed, knownGroup, notedGroups, readGroups, type NotedGroup } from "./state/noted-groups.ts";
export {
  driftFound,
  readUpkeep,
  replicaState,
  upkeepFailures,
  upkeepText,
  type UpkeepFacts,
} from "./text/upkeep-text.ts";
export { pause, type PauseInput, type StreamPause } from "./acts/pause.ts";
export { resume } from "./acts/resume.ts";

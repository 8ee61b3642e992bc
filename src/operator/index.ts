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
  streamMeanings,
} from "./state/attention.ts";
export { healsItself, knownRemedyOf, recordRemedy, remedyOf, type Concerned } from "./state/remedies.ts";
export { ErrorGroups, groupIdOf, type ErrorGroup } from "./state/groups.ts";
export { unlistedStreams, type UnlistedStream } from "./state/unlisted-streams.ts";
export {
  readReturns,
  returnNotes,
  returnUrgency,
  type ReturnStatus,
  type ReturnTrouble,
} from "./state/return-status.ts";
export { recordOfReturn, returnsOfRecord } from "./state/returns-of-record.ts";
export {
  lineAmount,
  openReturnStates,
  shownLineColumns,
  returnLabel,
  returnMeaning,
  returnMeanings,
  returnValue,
} from "./text/return-text.ts";
export { findReturn, knownReturnStream } from "./acts/returns/known-return.ts";
export { withIsoTimes } from "./text/json-view.ts";
export { recordWord, shellQuoted } from "./text/shell.ts";
export { arrivalText, roughDuration, exchangeEnd, paceText } from "./text/figures.ts";
export { queueText } from "./text/queue-text.ts";
export { csvText } from "./text/csv.ts";
export { actorText, actText, whoText } from "./text/actor-text.ts";
export { resolve } from "./acts/create.ts";
export { bind, bindAct, type BoundByPerson } from "./acts/bind.ts";
export { unbindAct } from "./acts/unbind.ts";
export { knownRecord, knownStream, labelOf } from "./acts/known-record.ts";
export { watchAct } from "./acts/watch.ts";
export { pollAct } from "./acts/poll.ts";
export { retryAct } from "./acts/retry.ts";
export { retryGroupAct } from "./acts/retry-group.ts";
export { skipGroupAct } from "./acts/skip-group.ts";
export { rereadKeys } from "./acts/reread-record.ts";
export { rereadStreamAct } from "./acts/reread-stream.ts";
export { deletionsAct } from "./acts/deletions.ts";
export { confirmPlan, heldCount, planAct } from "./acts/plan.ts";
export { settleFileAct } from "./acts/files.ts";
export { channelTestAct } from "./acts/channel-test.ts";
export { noChannel, type ChannelTest } from "./state/channel-tests.ts";
export { compareAct } from "./acts/compare.ts";
export { noteAct, noteGroup } from "./acts/note.ts";
export { pause } from "./acts/pause.ts";
export { sameSnooze, textMax, type Sent } from "./acts/inputs.ts";
export { acts } from "./acts/register.ts";
export { noTerminal, UsageError, type AtTerminal, type Command, type CommandOption } from "./acts/command.ts";
export { derivedCommand } from "./acts/derived-command.ts";
export type { DaemonSystems, StoreSystems } from "./acts/systems.ts";
export {
  answerOf,
  commandOf,
  defineAct,
  givenBy,
  missingIn,
  problemIn,
  targetLabel,
  type Act,
  type ActForm,
  type FormField,
  type Given,
  type SeenTargets,
  type TargetKind,
  type Targets,
} from "./acts/act.ts";
export { overwriteText, sideText } from "./text/sides.ts";
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
  heldWords,
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
  verdictMeanings,
} from "./acts/adopt.ts";
export { hasGrown, isSnoozed, knownGroup, notedGroups, readGroups, type NotedGroup } from "./state/noted-groups.ts";
export { isShared, memberState, unknownMember } from "./text/cluster-text.ts";
export { driftFound, readUpkeep, upkeepFailures, upkeepText, type UpkeepFacts } from "./text/upkeep-text.ts";

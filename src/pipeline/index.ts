export { Poller } from "./poll/poller.ts";
export { pollNote, rereadNote } from "./notes.ts";
export { stageByKey } from "./stage/stage-by-key.ts";
export { AskedPolls } from "./poll/asked-polls.ts";
export { Nudges } from "./poll/nudges.ts";
export { PollPauses } from "./poll/poll-pauses.ts";
export { Relay } from "./wake/relay.ts";
export { ApprovedSchedule } from "./wake/approved-schedule.ts";
export { Approved } from "./approve/approved.ts";
export { Synchronizer } from "./deliver/synchronizer.ts";
export { AdoptionGate, adoptionHold, blindRemedy, ruleNames } from "./holds/adoption-gate.ts";
export type { Held } from "./holds/hold.ts";
export { heldBy, StreamHolds, undecidedHold } from "./holds/stream-holds.ts";
export { StoreAge } from "./compare/store-age.ts";
export { StoreNews } from "./store-news.ts";
export { Matcher } from "./match/matcher.ts";
export { naturalKey } from "./match/natural-key.ts";
export { AmbiguousRecords } from "./compare/ambiguous-records.ts";
export { LeftOutRecords } from "./compare/left-out.ts";
export { DuplicateWatch } from "./compare/twins.ts";
export { RestoredRecords } from "./compare/restored-records.ts";
export { Presence } from "./counterpart/presence.ts";
export { Leases } from "./deliver/leases.ts";
export { observeAll, type Delivery, type Observer, type PollFacts } from "./observer.ts";
export { permanentlyBlockedReason } from "./explain/blocked-parents.ts";
export { addArrivals, arrivalMs, arrivalsNote, withArrival, type ArrivalTimes } from "./arrival-times.ts";
export {
  needsPersonCount,
  streamObstacles,
  streamStatus,
  refusedDeletionsSentence,
  twinSentence,
  type StreamStatus,
} from "./explain/stream-status.ts";
export { refusalText, refusedFiles, settleFile, type RefusedFile } from "./refused-files.ts";
export { Sweeper } from "./poll/sweeper.ts";
export { confirmDeletions, heldDeletions, knownCount, type HeldDeletions } from "./holds/delete-guard.ts";
export { AdoptionPlanner, type AdoptionPlan, type PlannedRecord } from "./plan/adoption-plan.ts";
export { forgetMerges, knownMerge } from "./counterpart/merges.ts";
export { proposeBinding, type ProposedBinding } from "./counterpart/proposed-binding.ts";
export { recordSides, type FieldSides, type RecordSides } from "./explain/record-sides.ts";
export { recordTitle } from "./explain/record-title.ts";
export { shownAs, type Overwrite, type Shown } from "./match/shown.ts";
export { Reconciler, type Drift, type Reconciliation } from "./compare/reconciler.ts";
export { Planner } from "./plan/planner.ts";
export { mapAsDelivered, type AsDelivered, type PlannedNames } from "./plan/as-delivered.ts";
export {
  ChangeGuard,
  confirmChange,
  isTooMuch,
  type ChangeGuardSettings,
  type PlannedChange,
} from "./guards/change-guard.ts";
export { confirmMail, MailGuard } from "./guards/mail-guard.ts";
export { firstMailNote } from "./holds/mail-hold.ts";
export { confirmMassChange, MassGuard } from "./guards/mass-guard.ts";
export { massHeldNote } from "./holds/mass-hold.ts";
export { Tally, type PlanCounts } from "./plan/tally.ts";
export { isChange, VERDICTS, type Verdict } from "./approve/verdict.ts";
export type { PlannedDelivery, PlannedField } from "./plan/planned-delivery.ts";

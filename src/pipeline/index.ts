export { Poller } from "./poll/poller.ts";
export { pollNote, rereadNote } from "./notes.ts";
export { stageByKey } from "./poll/stage-by-key.ts";
export { AskedPolls } from "./poll/asked-polls.ts";
export { Nudges } from "./poll/nudges.ts";
export { PollPauses } from "./poll/poll-pauses.ts";
export { Relay } from "./wake/relay.ts";
export { ApprovedSchedule } from "./wake/approved-schedule.ts";
export { Approved } from "./deliver/approved.ts";
export { Synchronizer } from "./deliver/synchronizer.ts";
export { AdoptionGate, adoptionHold, blindRemedy, ruleNames } from "./wake/adoption-gate.ts";
export type { Held } from "./wake/hold.ts";
export { heldBy, StreamHolds, undecidedHold } from "./wake/stream-holds.ts";
export { StoreAge } from "./wake/store-age.ts";
export { StoreNews } from "./wake/store-news.ts";
export { Matcher } from "./match/matcher.ts";
export { naturalKey } from "./match/natural-key.ts";
export { AmbiguousRecords } from "./match/ambiguous-records.ts";
export { LeftOutRecords } from "./match/left-out.ts";
export { TwinWatch } from "./match/twins.ts";
export { RestoredRecords } from "./match/restored-records.ts";
export { Presence } from "./match/presence.ts";
export { Leases } from "./deliver/leases.ts";
export { observeAll, type Delivery, type Observer, type PollFacts } from "./observer.ts";
export { permanentlyBlockedReason } from "./blocked-parents.ts";
export { addArrivals, arrivalMs, arrivalsNote, withArrival, type ArrivalTimes } from "./arrival-times.ts";
export { needsPersonCount, streamObstacles, streamStatus, twinSentence, type StreamStatus } from "./stream-status.ts";
export { refusalText, refusedFiles, settleFile, type RefusedFile } from "./refused-files.ts";
export { Sweeper } from "./poll/sweeper.ts";
export { confirmDeletions, heldDeletions, knownCount, type HeldDeletions } from "./poll/delete-guard.ts";
export { AdoptionPlanner, type AdoptionPlan, type PlannedRecord } from "./plan/adoption-plan.ts";
export { forgetMerges, knownMerge } from "./match/merges.ts";
export { proposeBinding, type ProposedBinding } from "./match/proposed-binding.ts";
export { recordSides, type FieldSides, type RecordSides } from "./record-sides.ts";
export { recordTitle } from "./record-title.ts";
export { shownAs, type Overwrite, type Shown } from "./match/shown.ts";
export { Reconciler, type Drift, type Reconciliation } from "./match/reconciler.ts";
export { Planner } from "./plan/planner.ts";
export { mapAsDelivered, type AsDelivered, type Known } from "./plan/as-delivered.ts";
export {
  ChangeGuard,
  confirmChange,
  isTooMuch,
  type ChangeGuardSettings,
  type PlannedChange,
} from "./plan/change-guard.ts";
export { confirmMail, MailGuard } from "./plan/mail-guard.ts";
export { firstMailNote } from "./wake/mail-hold.ts";
export { confirmMassChange, MassGuard } from "./plan/mass-guard.ts";
export { massHeldNote } from "./wake/mass-hold.ts";
export { Tally, type PlanCounts } from "./plan/tally.ts";
export { isChange, VERDICTS, type PlannedDelivery, type PlannedField, type Verdict } from "./plan/planned-delivery.ts";

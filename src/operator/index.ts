export { attentionStates, meaningOf, retriableStates } from "./record-states.ts";
export { knownRemedyOf, recordRemedy, remedyOf, type Concerned } from "./remedies.ts";
export { ErrorGroups, type ErrorGroup } from "./groups.ts";
export { urgencyOf, type BlockedPolicy, type Urgency } from "./urgency.ts";
export { withIsoTimes } from "./json-view.ts";
export { recordWord, shellQuoted } from "./shell.ts";
export { attentionOf, listHints } from "./attention.ts";
export { counted, duration } from "./figures.ts";
export { paceText } from "./pace-text.ts";

export { attentionStates, meaningOf, retriableStates } from "./record-states.ts";
export { remedyOf } from "./remedies.ts";
export { attentionOf, listHints } from "./attention.ts";
export { counted, duration } from "./figures.ts";

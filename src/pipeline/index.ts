export { Poller, type PollerParts } from "./poller.ts";
export { Relay, type RelayParts } from "./relay.ts";
export { Synchronizer, type SynchronizerParts } from "./synchronizer.ts";
export { AdoptionGate, heldNote } from "./adoption-gate.ts";
export { Matcher } from "./matcher.ts";
export { Leases } from "./leases.ts";
export { droppedNote } from "./dropped-fields.ts";
export { observeAll, type Delivery, type Observer, type PollFacts } from "./observer.ts";
export { streamStatus, type StreamStatus } from "./stream-status.ts";

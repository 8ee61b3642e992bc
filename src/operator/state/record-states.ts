import type { RecordState } from "#model";

/** States in which a record is not where the ERP wants it and will not get there at once. */
export const attentionStates = ["uncertain", "parked", "waiting"] as const satisfies readonly RecordState[];

/** States that a person may end by asking for another try. */
export const retriableStates: readonly RecordState[] = ["waiting", "parked", "skipped"];

const meanings: Readonly<Record<RecordState, string>> = {
  due: "It will be delivered as soon as a worker is free, or at the time shown.",
  claimed: "A worker is delivering it now.",
  waiting: "It is not its turn yet; no attempt is counted.",
  applied: "The last change of the ERP was delivered.",
  parked: "It needs attention; all other records continue.",
  uncertain: "A create was started, and svcsync cannot find out whether the service carried it out.",
  skipped: "The rules of its stream leave it out.",
  deleted: "The ERP no longer has it, and its deletion was carried out.",
};

export function meaningOf(state: RecordState): string {
  return meanings[state];
}

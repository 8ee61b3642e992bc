import type { RecordState } from "#model";

/** States as a list of SQL text literals. */
export function stateList(states: readonly RecordState[]): string {
  return states.map((state) => `'${state}'`).join(", ");
}

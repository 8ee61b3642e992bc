import type { RecordState } from "#model";

/** The states as SQL text literals, separated by commas. */
export function stateList(states: readonly RecordState[]): string {
  return states.map((state) => `'${state}'`).join(", ");
}

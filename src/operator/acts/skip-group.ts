import { counted, ParkError, SyncError, grouped, type Actor, type RecordId } from "#model";
import type { OperatorStore } from "#store";
import { groupIds } from "../state/noted-groups.ts";
import { defineAct } from "./act.ts";
import { inState, whole } from "./inputs.ts";

export const skipGroupAct = defineAct({
  name: "skip",
  target: "group",
  help: "Leave the records of one cause out until the ERP changes them",
  input: { count: whole(1).optional(), state: inState.optional() },
  inputHelp:
    "`count`, optional: how many records you saw; any other number is refused; `state`, optional: only records in this state",
  isFinal: true,
  audit: "resolve",
  wakes: "deliveries",
  /** @throws {ParkError} E_GROUP_UNKNOWN when no record has this cause; E_NOT_RESOLVABLE when the person saw another number. */
  async run({ store, streams }, { target, input: { count, state } }, by) {
    const ids = await groupIds(store, streams, target, state);
    if (count !== undefined && count !== ids.length)
      throw new ParkError(
        "E_NOT_RESOLVABLE",
        `${counted(ids.length, "record")} ${ids.length === 1 ? "has" : "have"} this cause now, but you saw ${grouped(count)}: check them again. Nothing was changed`,
      );
    return skipAll(store, ids, by);
  },
  answer: ({ skipped }, common) => ({ ...common, skipped }),
  bulk: {
    count: ({ skipped }) => skipped,
    asked: (_, { count }) => count,
    said: (skipped, asked) =>
      `${grouped(skipped)} of ${counted(asked, "record")} ${asked === 1 ? "is" : "are"} left out until the ERP changes ${asked === 1 ? "it" : "them"}.`,
  },
  forms: ({ stream, state, count, error }) => {
    const label = count === 1 ? "Leave it out" : `Leave all ${grouped(count)} out`;
    const means = `${counted(count, "record")} will not be delivered until the ERP changes ${count === 1 ? "it" : "them"}.`;
    const spoken = `${label}: ${stream}, ${error?.code}, ${state}`;
    const fields = [
      { kind: "hidden", name: "state", value: state },
      { kind: "hidden", name: "count", value: count },
    ] as const;
    return [{ label, means, spoken, sure: "I mean all of them", fields }];
  },
  command: "skip --group",
});

export interface Skipped {
  readonly skipped: number;
  readonly refused: readonly SyncError[];
}

/** Leaves records out. A record that changed state meanwhile does not stop the others. */
export async function skipAll(store: OperatorStore, ids: readonly RecordId[], by: Actor): Promise<Skipped> {
  const refused: SyncError[] = [];
  for (const id of ids)
    try {
      await store.resolve(id, { kind: "skip" }, by);
    } catch (thrown) {
      if (!(thrown instanceof SyncError) || thrown.family !== "park") throw thrown;
      refused.push(thrown);
    }
  return { skipped: ids.length - refused.length, refused };
}

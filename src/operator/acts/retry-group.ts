import { counted, type Actor, type StreamName } from "#model";
import type { GroupStore, OperatorStore } from "#store";
import { groupRecords, unknownGroup } from "../state/noted-groups.ts";
import { defineAct } from "./act.ts";
import { whole } from "./inputs.ts";
import { states } from "./retry.ts";

/** Makes the records of one cause due again. */
export const retryGroupAct = defineAct({
  name: "retry",
  target: "group",
  needs: "store",
  help: "Retry the records of one cause",
  input: { count: whole(1).optional() },
  inputHelp: "`count`, optional: how many records you saw",
  audit: "retry",
  wakes: "deliveries",
  run({ store, streams }, { target }, by) {
    const names = streams.map(({ name }) => name);
    return retryGroup({ store }, names, target, by);
  },
  answer: (due, _, group) => ({ group, due }),
  bulk: {
    count: (due) => due,
    asked: (_, { count }) => count,
    said(due, asked) {
      const rest = due < asked ? " The others are no longer held up." : "";
      return `${due.toLocaleString("en")} of ${counted(asked, "record")} ${asked === 1 ? "is" : "are"} due now.${rest}`;
    },
  },
  command: "retry --group",
});

/**
 * Makes the records of a group due again, in whichever state they are. Returns how many.
 * @throws {ParkError} E_GROUP_UNKNOWN when no record has this cause.
 */
export async function retryGroup(
  { store }: { readonly store: OperatorStore & { readonly groups: GroupStore } },
  streams: readonly StreamName[],
  group: string,
  by: Actor,
): Promise<number> {
  const ids = await Array.fromAsync(groupRecords({ store }, streams, group), ({ id }) => id);
  if (ids.length === 0) throw unknownGroup(group);
  let count = 0;
  for (const id of ids) count += await store.retryNow({ ...id, states }, by);
  return count;
}

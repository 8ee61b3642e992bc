import { counted, grouped } from "#model";
import { groupIds } from "../state/noted-groups.ts";
import { defineAct } from "./act.ts";
import { inState, whole } from "./inputs.ts";

export const retryGroupAct = defineAct({
  name: "retry",
  target: "group",
  help: "Retry the records of one cause",
  input: { count: whole(1).optional(), state: inState.optional() },
  inputHelp: "`count`, optional: how many records you saw; `state`, optional: only records in this state",
  audit: "retry",
  wakes: "deliveries",
  /**
   * In whichever state they are, unless one is given. Resolves to how many.
   * @throws {ParkError} E_GROUP_UNKNOWN when no record has this cause.
   */
  async run({ store, streams }, { target, input: { state } }, by) {
    let count = 0;
    for (const id of await groupIds(store, streams, target, state))
      count += await store.retryNow({ ...id, states: ["parked", "waiting"] }, by);
    return count;
  },
  answer: (due, _, group) => ({ group, due }),
  bulk: {
    count: (due) => due,
    asked: (_, { count }) => count,
    said(due, asked) {
      const rest = due < asked ? " The others are no longer held up." : "";
      return `${grouped(due)} of ${counted(asked, "record")} ${asked === 1 ? "is" : "are"} due now.${rest}`;
    },
  },
  command: "retry --group",
});

import { counted } from "#model";
import { groupRecords, unknownGroup } from "../state/noted-groups.ts";
import { defineAct } from "./act.ts";
import { whole } from "./inputs.ts";

export const retryGroupAct = defineAct({
  name: "retry",
  target: "group",
  help: "Retry the records of one cause",
  input: { count: whole(1).optional() },
  inputHelp: "`count`, optional: how many records you saw",
  audit: "retry",
  wakes: "deliveries",
  /**
   * In whichever state they are. Resolves to how many.
   * @throws {ParkError} E_GROUP_UNKNOWN when no record has this cause.
   */
  async run({ store, streams }, { target }, by) {
    const names = streams.map(({ name }) => name);
    const ids = await Array.fromAsync(groupRecords({ store }, names, target), ({ id }) => id);
    if (ids.length === 0) throw unknownGroup(target);
    let count = 0;
    for (const id of ids) count += await store.retryNow({ ...id, states: ["parked", "waiting"] }, by);
    return count;
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

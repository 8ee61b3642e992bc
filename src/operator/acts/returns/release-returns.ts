import { counted, ParkError } from "#model";
import { returnHistory } from "#store";
import { defineAct } from "../act.ts";
import { whole } from "../inputs.ts";
import { knownReturnStream } from "./known-return.ts";

export const releaseReturnsAct = defineAct({
  name: "release",
  target: "returnStream",
  help: "Hand over what the guard of a stream of returns holds",
  input: { count: whole(1).optional().meta({ description: "at most this many (default: as many as it holds)" }) },
  inputHelp: "`count`, how many may be handed over; by default as many as the guard counted",
  audit: "release",
  wakes: "returns",
  /** @throws {ParkError} E_RETURN_UNKNOWN; E_RETURN_SETTLED when the guard holds nothing. */
  async run({ store, returns }, { target: stream, input: { count } }, by) {
    knownReturnStream(returns, stream);
    const mark = await store.returns.mark(stream);
    if (mark?.held === undefined)
      throw new ParkError("E_RETURN_SETTLED", `the guard does not hold ${stream}, so nothing was done`);
    const released = count ?? mark.held.count;
    const outcome = `released ${counted(released, "return")}`;
    await store.acts.save(returnHistory(stream), { action: "release", outcome }, by);
    await store.returns.saveMark(stream, { held: undefined, released });
    return released;
  },
  answer: (released, common) => ({ ...common, released }),
  forms: ({ name, mark }) =>
    mark?.held === undefined
      ? []
      : [
          {
            label: `Hand over ${counted(mark.held.count, "return")}`,
            means: `${name} returned at most ${mark.held.usual} in an hour before. Look whether the service is right first: what the ERP has, it may have billed.`,
            fields: [{ kind: "hidden", name: "count", value: mark.held.count }],
          },
        ],
  said: (streams, results) =>
    streams.map((stream, at) => `Released ${counted(results[at] ?? 0, "return")} of ${stream}.\n`).join(""),
  command: "returns release",
});

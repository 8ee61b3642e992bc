import { returnHistory } from "#store";
import { defineAct } from "../act.ts";
import { knownReturnStream } from "./known-return.ts";

export const pauseReturnsAct = defineAct({
  name: "pause",
  target: "returnStream",
  help: "Pause streams of returns until they are resumed: svcsync looks, but hands nothing over",
  audit: "pause",
  async run({ store, returns }, { target: stream }, by) {
    knownReturnStream(returns, stream);
    await store.acts.save(returnHistory(stream), { action: "pause", outcome: "paused" }, by);
    await store.returns.saveMark(stream, { paused: { at: store.clock.now(), by } });
  },
  forms: ({ name, state }) =>
    state === "paused" || state === "unlisted"
      ? []
      : [
          {
            label: `Pause ${name}`,
            means: "Nothing is handed over until you resume it. Answers are read, and nothing is lost.",
          },
        ],
  said: (streams) => `Paused ${streams.join(", ")}; "svcsync returns resume ${streams.join(" ")}" ends it.\n`,
  command: "returns pause",
});

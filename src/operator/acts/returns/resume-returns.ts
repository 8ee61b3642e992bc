import { returnHistory } from "#store";
import { defineAct } from "../act.ts";
import { knownReturnStream } from "./known-return.ts";

export const resumeReturnsAct = defineAct({
  name: "resume",
  target: "returnStream",
  help: "Resume paused streams of returns",
  audit: "resume",
  wakes: "returns",
  async run({ store, returns }, { target: stream }, by) {
    knownReturnStream(returns, stream);
    await store.acts.save(returnHistory(stream), { action: "resume", outcome: "resumed" }, by);
    await store.returns.saveMark(stream, { paused: undefined });
  },
  forms: ({ name, state }) => (state === "paused" ? [{ label: "Resume", spoken: `Resume ${name}` }] : []),
  said: (streams) => `Resumed ${streams.join(", ")}.\n`,
  command: "returns resume",
});

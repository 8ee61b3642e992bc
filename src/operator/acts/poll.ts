import { pollNote } from "#pipeline";
import { defineAct } from "./act.ts";

export const pollAct = defineAct({
  name: "poll",
  target: "stream",
  help: "Have the running daemon poll these streams now",
  audit: "poll",
  wakes: "polls",
  async run({ store }, { target }, by) {
    await store.acts.save(target, { action: "poll", outcome: "now" }, by);
    await store.saveNote(pollNote(target), true);
  },
  forms: ({ name, holds }) =>
    holds.some(({ polls }) => polls) ? [] : [{ label: "Poll now", spoken: `Poll ${name} now` }],
  said: (streams) =>
    `The running daemon polls ${streams.join(", ")} within a second. If none runs, the next "svcsync run" does so at its start.\n`,
});

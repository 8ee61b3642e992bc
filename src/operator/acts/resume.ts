import { defineAct } from "./act.ts";

export const resumeAct = defineAct({
  name: "resume",
  target: "stream",
  help: "Resume paused streams",
  audit: "resume",
  wakes: "deliveries",
  run: ({ store }, { target }, by) => store.acts.resume([target], store.clock.now(), by),
  forms: ({ name, holds }) =>
    holds.some(({ kind }) => kind === "pause") ? [{ label: "Resume", spoken: `Resume ${name}` }] : [],
  answersAttention: true,
  command: {
    arguments: { "[streams...]": "these streams (default: all paused)" },
    async run({ store, streams }, [names]: [readonly string[]], _, { by }) {
      const wanted = names.length > 0 ? names : streams.map(({ name }) => name);
      const resumed = await store.acts.resume(wanted, store.clock.now(), by);
      const text = resumed.length === 0 ? "No such stream is paused.\n" : `Resumed ${resumed.join(", ")}.\n`;
      return { json: { resumed }, text };
    },
  },
});

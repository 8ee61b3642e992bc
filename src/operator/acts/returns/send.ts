import { mayReturn } from "#store";
import { defineAct } from "../act.ts";
import { decideReturn } from "./known-return.ts";

const meanings: Readonly<Record<string, string>> = {
  held: "The ERP is told of it.",
  uncertain: "Look into the ERP first: if it has this return already, it would get it twice.",
  refused: "The same content is handed over as a new version. A correction in the service is handed over without this.",
  blocked: "svcsync tries to make its content again.",
};

export const sendReturnAct = defineAct({
  name: "send",
  target: "return",
  help: "Hand over returns that are held or uncertain, say refused ones again, and retry blocked ones",
  audit: "return",
  wakes: "returns",
  run: ({ store: { returns } }, { target }, by) => decideReturn(returns, target, "send", by),
  forms: ({ state }) => (mayReturn(state, "send") ? [{ label: "Hand over", means: meanings[state] ?? "" }] : []),
  command: "returns send",
});

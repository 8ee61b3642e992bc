import { mayReturn } from "#store";
import { defineAct } from "../act.ts";
import { decideReturn } from "./known-return.ts";

export const returnArrivedAct = defineAct({
  name: "arrived",
  target: "return",
  help: "Confirm that the ERP has an uncertain return",
  audit: "return",
  run: ({ store: { returns } }, { target }, by) => decideReturn(returns, target, "arrived", by),
  forms: ({ state }) =>
    mayReturn(state, "arrive")
      ? [{ label: "The ERP has it", means: "Look into the ERP first: if it does not have it, the ERP is never told." }]
      : [],
  command: "returns arrived",
});

import { mayReturn } from "#store";
import { defineAct } from "../act.ts";
import { decideReturn } from "./known-return.ts";

export const withdrawReturnAct = defineAct({
  name: "withdraw",
  target: "return",
  help: "Withdraw a held or blocked return: the ERP is not told of it",
  isFinal: true,
  audit: "return",
  run: ({ store: { returns } }, { target }, by) => decideReturn(returns, target, "withdraw", by),
  forms: ({ state }) =>
    mayReturn(state, "withdraw")
      ? [
          {
            label: "Withdraw",
            means:
              "The ERP is not told of it. A later change in the service makes a new version, which waits for a person.",
          },
        ]
      : [],
  command: "returns withdraw",
});

import { defineAct } from "./act.ts";

export const compareAct = defineAct({
  name: "compare",
  target: "installation",
  needs: "daemon",
  help: "Compare the ERP's records with the service's before streams are released",
  audit: undefined,
  run: ({ compareAdoption }) => compareAdoption(),
  page: "/adoption",
  path: "/adoption/compare",
  command: "adopt",
});

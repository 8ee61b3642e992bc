import { defineAct } from "./act.ts";

/** Compares the ERP's records with the service's, to prepare a decision about held streams. Only reads. */
export const compareAct = defineAct({
  name: "compare",
  target: "installation",
  needs: "daemon",
  help: "Compare the ERP's records with the service's before streams are released",
  input: {},
  audit: undefined,
  run: ({ compareAdoption }) => compareAdoption(),
  page: "/adoption",
  path: "/adoption/compare",
  command: "adopt",
});

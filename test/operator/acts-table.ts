import { commandOf, type Act } from "#operator";

const addresses: Readonly<Record<Act["target"], string>> = {
  record: "…/RECORD/",
  group: "/api/groups/ID/",
  stream: "…/STREAM/",
  return: "/api/returns/STREAM/VERSION/",
  returnStream: "/api/returns/STREAM/",
  installation: "/api/acts/",
};

/** The table of docs/api.md: every act with its command and what may be sent. */
export function actsTable(acts: readonly Act[]): string {
  const rows = acts.map((act) => {
    const { name, path, target, help, inputHelp } = act;
    const members = [act.isFinal ? ["**`why`**, **`confirm`**"] : [], inputHelp ?? []].flat();
    const address = path === undefined ? `${addresses[target]}${name}` : `/api${path}`;
    return `| \`POST ${address}${target === "return" ? "?subject=SUBJECT" : ""}\` | ${help} | \`${commandOf(act)}\` | ${members.join("; ") || "none"} |`;
  });
  return ["| request | what it does | command | members of the JSON |", "| --- | --- | --- | --- |", ...rows].join(
    "\n",
  );
}

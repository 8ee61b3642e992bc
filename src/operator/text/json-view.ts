/** Members that hold data of the ERP, the service or an adapter: their numbers are not converted. */
const foreign: ReadonlySet<string> = new Set([
  "row",
  "applied",
  "before",
  "after",
  "inFlight",
  "projection",
  "details",
  "cursor",
  "change",
  "mapped",
  "written",
  "found",
]);

/** A copy for `--json` and the API: instants (members named `at` or `…At`) as ISO 8601 text in UTC. */
export function withIsoTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIsoTimes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      if (typeof member === "number" && /^at$|At$/.test(name)) return [name, new Date(member).toISOString()];
      return [name, isOurs(name, member) ? withIsoTimes(member) : member];
    }),
  );
}

/** A stream's `cursor` is ours where it holds the facts of its last poll, including the adapter's own cursor. */
function isOurs(name: string, member: unknown): boolean {
  if (name === "cursor") return typeof member === "object" && member !== null && "rowsRead" in member;
  return !foreign.has(name);
}

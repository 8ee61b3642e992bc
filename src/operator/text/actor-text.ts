import { counted, localTime, recordLabel, shortened, type Actor } from "#model";
import type { PersonAct } from "#store";

const channels: Readonly<Record<Actor["via"], string>> = { cli: "command", page: "page", api: "API" };

/** Who did something: `anna (command)`. */
export function whoText({ name, via }: Actor): string {
  return `${name} (${channels[via]})`;
}

/** Who did something, and why: `by anna (command): "merged by hand"`. */
export function actorText(by: Actor): string {
  return `by ${whoText(by)}${by.why === undefined ? "" : `: ${JSON.stringify(by.why)}`}`;
}

/** Characters of an outcome that are shown; it may list keys. */
const OUTCOME_MAX = 100;

/** What a person did: `customers/10023: resolve (skip)`, `412 records of contacts: retry (again)`. */
export function actText({ stream, key, count, action, outcome }: PersonAct): string {
  const target =
    count > 1
      ? `${counted(count, "record")} of ${stream}`
      : key === ""
        ? stream || "svcsync"
        : recordLabel({ stream, key });
  const local = outcome.replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, (iso) => localTime(Date.parse(iso)));
  return `${target}: ${action} (${shortened(local, OUTCOME_MAX)})`;
}

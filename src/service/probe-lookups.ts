import type { Finding, ResourceName } from "#model";
import type { Dialect } from "#settings";

/** What each resource showed of one way to look things up; undefined where reads could not tell. */
export interface LookupSeen {
  readonly resource: ResourceName;
  readonly works: boolean | undefined;
}

/** One line for a way to look up on all resources: only when it works on none is it worth switching off. */
export function lookupFinding(way: "search" | "guess", seen: readonly LookupSeen[], dialect: Dialect): Finding {
  const subject = way;
  const configured = String(dialect[way]);
  const named = (works: boolean) => seen.filter((one) => one.works === works).map(({ resource }) => resource);
  const [working, idle] = [named(true), named(false)];
  if (working.length === 0 && idle.length === 0)
    return { subject, verdict: "ok", message: `configured ${configured}; no mapped resource with records has it` };
  if (working.length > 0 && idle.length > 0) {
    const message = `works on ${working.join(", ")}, not on ${idle.join(", ")}: there it is tried in vain`;
    return { subject, verdict: "warning", message };
  }
  const works = String(working.length > 0);
  const where = (working.length > 0 ? working : idle).join(", ");
  if (works === configured) return { subject, verdict: "ok", message: `found ${works} on ${where}, as configured` };
  const message = `found ${works} on ${where}, configured ${configured}`;
  return { subject, verdict: "problem", message, remedy: `DIALECT_${way.toUpperCase()}=${works}` };
}

import { DAY_MS, type Finding, type JsonObject, type ResourceName } from "#model";
import { resourceFacts } from "../catalogue/catalogue.ts";
import { ServiceRefusal } from "../transport/failures.ts";
import { unlessRefused, withPair, type ProbeRequests, type ProbeDeps } from "./probe-finding.ts";
import { pageIn } from "../reads/reading.ts";
import { isEmpty } from "../dialect/values.ts";

export interface ResourceSeen {
  readonly findings: readonly Finding[];
  /** The tenant answers 404 for it, and its path depends on the brand. */
  readonly isBranded404?: boolean;
}

/** Probes one mapped resource: whether it can be read, its path, and whether `changedSince` narrows its list. */
export async function probeResource(
  ask: ProbeRequests,
  resource: ResourceName,
  parts: ProbeDeps,
): Promise<ResourceSeen> {
  const { dialect, brand, paths } = parts;
  const ok = (message: string): Finding => ({ subject: resource, verdict: "ok", message });
  if (paths.isNested(resource)) return { findings: [ok(`read below its parents: ${dialect.paths[resource]}`)] };
  const facts = resourceFacts(resource);
  const rows = async (query: Record<string, string>) => {
    const { body } = await ask(resource, { fields: "id", limit: "1", ...query });
    return pageIn(body, resource, dialect, brand)?.rows ?? [];
  };
  let records: readonly JsonObject[];
  try {
    records = await rows({ fields: ["id", ...facts.arrays].join(), limit: "50" });
  } catch (thrown) {
    if (!(thrown instanceof ServiceRefusal)) throw thrown;
    const isBranded404 = isBranded(resource) && thrown.status === 404;
    return { findings: [await refused(ask, resource, thrown, parts)], isBranded404 };
  }
  if (records.length === 0) return { findings: [ok("its list may be read; it has no records yet")] };
  const future = new Date(parts.clock.now() + DAY_MS).toISOString();
  const narrows = !facts.changedSince || (await unlessRefused(rows({ changedSince: future })))?.length === 0;
  return {
    findings: [
      ok("its list may be read"),
      ...facts.arrays.map((field) => arrayField(resource, field, records)),
      ...(narrows ? [] : [ignoredStamp(resource)]),
    ],
  };
}

/** Whether the brand alone determines the resource's path. */
function isBranded(resource: ResourceName): boolean {
  return resource.startsWith("svc") && resourceFacts(resource).otherPath === undefined;
}

/** Harmless, because rows are checked here; but every refresh then reads the resource's whole list. */
function ignoredStamp(resource: ResourceName): Finding {
  const message = "changedSince is ignored: lists are read whole and filtered here, which takes longer";
  return { subject: resource, verdict: "warning", message };
}

async function refused(
  ask: ProbeRequests,
  resource: ResourceName,
  refusal: ServiceRefusal,
  { dialect, brandSeen }: ProbeDeps,
): Promise<Finding> {
  const { otherPath } = resourceFacts(resource);
  const problem = { subject: resource, verdict: "problem", message: refusal.message } as const;
  if (refusal.status === 403) return { ...problem, remedy: "give the user of the token the permission to read it" };
  if (brandSeen === undefined && refusal.status === 404 && isBranded(resource))
    return { ...problem, remedy: "most likely DIALECT_BRAND: its path follows the brand" };
  if (brandSeen !== undefined && brandSeen !== dialect.brand && resource.startsWith("svc"))
    return { ...problem, remedy: "set DIALECT_BRAND first and check again: its path follows the brand" };
  const unknown = "see whether its module is licensed and how it is spelled";
  if (otherPath === undefined) return { ...problem, remedy: unknown };
  const line = withPair("DIALECT_PATHS", dialect.paths, resource, otherPath);
  if (otherPath.includes("{")) return { ...problem, remedy: `it may be nested: ${line}` };
  const there = await unlessRefused(ask.path(otherPath, resource, { fields: "id", limit: "1" }));
  return { ...problem, remedy: there === undefined ? unknown : line };
}

/** Whether an array property is shown, and in what form. Only a property that is shown can be verified after a change. */
function arrayField(resource: ResourceName, field: string, records: readonly JsonObject[]): Finding {
  const subject = `${resource}.${field}`;
  const value = records.map((record) => record[field]).find((shown) => !isEmpty(shown));
  if (value === undefined)
    return { subject, verdict: "ok", message: "an array without elements so far: its shape was not seen" };
  if (!Array.isArray(value)) {
    const message = `shown as ${typeof value}, not as an array: changes of it cannot be seen in an answer`;
    return { subject, verdict: "warning", message };
  }
  const shape = value.every((item) => typeof item === "number") ? "ids" : "records";
  return { subject, verdict: "ok", message: `shown as an array of ${shape}` };
}

import type { Clock, Finding, ResourceName } from "#model";
import { resourceFacts } from "./catalogue.ts";
import { ServiceRefusal } from "./failures.ts";
import { IMPOSSIBLE } from "./finder.ts";
import type { ReadParts } from "./lists.ts";
import { found, type Ask } from "./probe-finding.ts";
import { pageIn, recordIn } from "./reading.ts";
import { idOf, isEmpty } from "./values.ts";

/** An id that no tenant reaches and every tenant can parse. */
const IMPOSSIBLE_ID = "2147483646";
const DAY_MS = 86_400_000;

/** One mapped resource: may it be read, under which path, and which of its filters and look-ups do something. */
export async function probeResource(
  ask: Ask,
  resource: ResourceName,
  parts: ReadParts & { readonly clock: Clock },
): Promise<Finding[]> {
  const { dialect, brand, paths } = parts;
  if (paths.isNested(resource))
    return [{ subject: resource, verdict: "ok", message: `read below its parents: ${dialect.paths[resource]}` }];
  const rows = async (query: Record<string, string>) => {
    const { body } = await ask(resource, { fields: "id", limit: "1", ...query });
    return pageIn(body, resource, dialect, brand)?.rows ?? [];
  };
  let sample: number | undefined;
  try {
    sample = idOf((await rows({}))[0]?.["id"]);
  } catch (thrown) {
    if (thrown instanceof ServiceRefusal) return [await refused(ask, resource, thrown)];
    throw thrown;
  }
  const findings: Finding[] = [{ subject: resource, verdict: "ok", message: "its list may be read" }];
  if (sample === undefined) return [...findings, { subject: resource, verdict: "ok", message: "has no records yet" }];
  findings.push(await recordPath(ask, resource, sample, dialect.recordPath));
  const facts = resourceFacts(resource);
  for (const field of facts.arrays) findings.push(await arrayField(ask, resource, sample, field));
  for (const [field, name] of Object.entries(facts.filters))
    findings.push(...(await filter(resource, `${name} (${field})`, () => rows({ [name]: IMPOSSIBLE_ID }))));
  if (facts.changedSince) {
    const future = new Date(parts.clock.now() + DAY_MS).toISOString();
    findings.push(...(await filter(resource, "changedSince", () => rows({ changedSince: future }))));
  }
  if (facts.search.length > 0 && dialect.search) {
    const works = (await rows({ search: IMPOSSIBLE })).length === 0;
    findings.push(found(`${resource} search`, "true", String(works), "DIALECT_SEARCH"));
  }
  if (facts.guess !== undefined && dialect.guess) findings.push(await guess(ask, resource));
  return findings;
}

async function refused(ask: Ask, resource: ResourceName, refusal: ServiceRefusal): Promise<Finding> {
  const { otherPath } = resourceFacts(resource);
  const problem = { subject: resource, verdict: "problem", message: refusal.message } as const;
  if (refusal.status === 403) return { ...problem, remedy: "give the user of the token the permission to read it" };
  if (otherPath === undefined)
    return { ...problem, remedy: "see whether its module is licensed and how it is spelled" };
  const line = `DIALECT_PATHS=${resource}=${otherPath}`;
  if (otherPath.includes("{")) return { ...problem, remedy: `it may be nested: ${line}` };
  const there = await ask.path(otherPath, resource, { fields: "id", limit: "1" }).then(
    () => true,
    () => false,
  );
  return { ...problem, remedy: there ? line : "see whether its module is licensed and how it is spelled" };
}

async function recordPath(ask: Ask, resource: ResourceName, id: number, configured: string): Promise<Finding> {
  const subject = `${resource} record`;
  try {
    await ask.record(resource, id, "id");
    return { subject, verdict: "ok", message: `found at ${configured}, as configured` };
  } catch (thrown) {
    if (!(thrown instanceof ServiceRefusal)) throw thrown;
    const remedy = "set DIALECT_RECORD_PATH to the path of one record";
    return { subject, verdict: "problem", message: thrown.message, remedy };
  }
}

/** Whether an array property is shown, and how: only then can its changes be seen in an answer. */
async function arrayField(ask: Ask, resource: ResourceName, id: number, field: string): Promise<Finding> {
  const subject = `${resource}.${field}`;
  const { body } = await ask.record(resource, id, `id,${field}`);
  const value = recordIn(body, resource)?.[field];
  if (isEmpty(value))
    return { subject, verdict: "ok", message: "an array without elements here: its shape was not seen" };
  if (!Array.isArray(value)) {
    const message = `shown as ${typeof value}, not as an array: changes of it cannot be seen in an answer`;
    return { subject, verdict: "warning", message };
  }
  const shape = value.every((item) => typeof item === "number") ? "ids" : "records";
  return { subject, verdict: "ok", message: `shown as an array of ${shape}` };
}

/** An ignored filter does no harm, rows are checked here; but every use of it reads the whole list. */
async function filter(
  resource: ResourceName,
  name: string,
  rows: () => Promise<readonly unknown[]>,
): Promise<Finding[]> {
  try {
    if ((await rows()).length === 0) return [];
    const message = `the filter ${name} is ignored: lists are read whole and filtered here`;
    return [{ subject: resource, verdict: "warning", message }];
  } catch (thrown) {
    if (!(thrown instanceof ServiceRefusal)) throw thrown;
    return [{ subject: resource, verdict: "warning", message: `the filter ${name} is refused: ${thrown.message}` }];
  }
}

async function guess(ask: Ask, resource: ResourceName): Promise<Finding> {
  const facts = resourceFacts(resource).guess;
  const demanded = (facts?.required ?? []).map((name) => [name, Number(IMPOSSIBLE_ID)] as const);
  const further = facts?.keys.find((name) => !facts.required.includes(name)) ?? "name";
  try {
    await ask.guess(resource, { ...Object.fromEntries(demanded), [further]: IMPOSSIBLE });
    return found(`${resource} guess`, "true", "true", "DIALECT_GUESS");
  } catch (thrown) {
    if (!(thrown instanceof ServiceRefusal)) throw thrown;
    const absent = thrown.status === 404 || thrown.status === 405;
    return found(`${resource} guess`, "true", absent ? "false" : undefined, "DIALECT_GUESS", thrown.message);
  }
}

import type { Stream } from "#mapping";
import { canonicalJson, counted, type Finding, type Json, type JsonObject, type ResourceName } from "#model";
import type { Service } from "#service";
import type { Settings } from "#settings";

type Dialect = Settings["service"]["dialect"];
type Compared = Pick<Service, "list" | "fields">;

/** Names that one finding lists; the others are counted. */
const NAMES_SHOWN = 10;

/** The settings of the dialect that differ. Both may be right: two tenants may speak two dialects. */
export function compareDialects(here: Dialect, there: Dialect): Finding[] {
  const others = new Map<string, unknown>(Object.entries(there));
  return Object.entries(here).flatMap(([name, value]): Finding[] => {
    const [ours, theirs] = [value, others.get(name)].map((one) => (one === undefined ? "none" : JSON.stringify(one)));
    if (ours === theirs) return [];
    const subject = `dialect, ${settingOf(name)}`;
    const remedy =
      'If the services speak the same dialect, set both alike; "svcsync check --service" shows what each needs.';
    return [{ subject, verdict: "warning", message: `${ours} here, ${theirs} there`, remedy }];
  });
}

/** The names (statuses, priorities, tags …) that the streams may look up here and that the other service lacks. */
export async function compareNames(
  streams: readonly Stream[],
  [here, there]: readonly [Compared, Compared],
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [place, { resource, by, used }] of lookupPlaces(streams)) {
    const [ours, theirs] = await Promise.all([
      namesIn(here, resource, by, signal),
      namesIn(there, resource, by, signal),
    ]);
    const missing = [...ours].filter((name) => !theirs.has(name));
    const isUsed = missing.some((name) => used.has(name));
    const more = [...theirs].filter((name) => !ours.has(name));
    const extra = more.length === 0 ? "" : `; there also ${listed(more)}`;
    if (missing.length === 0)
      findings.push({
        subject: place,
        verdict: "ok",
        message: `${counted(ours.size, "name")} of here are there too${extra}`,
      });
    else
      findings.push({
        subject: place,
        // A name that the sync file itself contains is needed; another one only if the ERP has it.
        verdict: isUsed ? "problem" : "warning",
        message: `missing there: ${listed(missing.toSorted((a, b) => Number(used.has(b)) - Number(used.has(a))))}${extra}`,
        remedy: "Create them in the other service, or map the values to names that both have.",
      });
  }
  return findings;
}

/** The fields, custom ones too, that the streams write and that the other service lacks or takes as another kind. */
export async function compareFields(
  streams: readonly Stream[],
  [here, there]: readonly [Compared, Compared],
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [resource, own] of Map.groupBy(streams, ({ resource }) => resource)) {
    const names = [...new Set(own.flatMap(({ ownedFields }) => ownedFields))];
    const [ours, theirs] = await Promise.all([
      here.fields(resource, names, signal),
      there.fields(resource, names, signal),
    ]);
    const differing = names.flatMap((name): Finding[] => {
      const [one, other] = [ours.facts.get(name), theirs.facts.get(name)];
      const subject = `field ${resource}.${name}`;
      if (other?.verdict === "unknown" && one?.verdict !== "unknown")
        return [{ subject, verdict: "problem", message: "missing there", remedy: "Create it in the other service." }];
      if (one?.kind === undefined || other?.kind === undefined || one.kind === other.kind) return [];
      const remedy = "Give both fields the same type, or map them apart.";
      return [{ subject, verdict: "problem", message: `${one.kind} here, ${other.kind} there`, remedy }];
    });
    const same = `the other service has the ${counted(names.length, "field")} that are written`;
    findings.push(...(differing.length > 0 ? differing : [ok(`fields of ${resource}`, same)]));
  }
  return findings;
}

function ok(subject: string, message: string): Finding {
  return { subject, verdict: "ok", message };
}

/** Each resource and field by which names are looked up, and the names that the sync file itself contains. */
function lookupPlaces(streams: readonly Stream[]) {
  const places = new Map<string, { resource: ResourceName; by: string; used: Set<string> }>();
  for (const { lookups, constantLookups } of streams)
    for (const { resource, by, ...rest } of [...lookups, ...constantLookups]) {
      const place = `${resource}.${by}`;
      const known = places.get(place) ?? { resource, by, used: new Set<string>() };
      if ("value" in rest) known.used.add(String(rest.value));
      places.set(place, known);
    }
  return places;
}

async function namesIn(
  service: Compared,
  resource: ResourceName,
  by: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const rows: JsonObject[] = (await Array.fromAsync(service.list(resource, { fields: [by] }, signal))).flat();
  return new Set(rows.flatMap((row) => nameOf(row[by])));
}

function nameOf(value: Json | undefined): string[] {
  if (value === undefined || value === null) return [];
  return [typeof value === "string" ? value : canonicalJson(value)];
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => JSON.stringify(name));
  const more = names.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** `listWrapper` is set by DIALECT_LIST_WRAPPER. */
function settingOf(name: string): string {
  return `DIALECT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

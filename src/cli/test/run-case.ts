import type { MappingCase, MappingCases, Stream } from "#mapping";
import { canonicalJson, errorFacts, ParkError, WaitError, errorText, type ErrorFacts, type Json } from "#model";
import { mapAsDelivered, type AsDelivered, type PlannedNames } from "#pipeline";
import { KnownNames } from "#service";

/** What a row was mapped to. */
export type Became = AsDelivered | ({ readonly kind: "parked" | "waiting" } & ErrorFacts);

/** A case and its differences; none means that it passed. */
export interface CaseResult {
  readonly title: string;
  readonly line: number;
  readonly differences: readonly string[];
  readonly durationMs: number;
}

/** Maps the row of a case as a delivery would, with the names and ids of its file in place of the service and the store. */
export async function runCase(
  one: MappingCase,
  given: MappingCases,
  streams: readonly Stream[],
  signal: AbortSignal,
): Promise<CaseResult> {
  const begunAt = performance.now();
  const stream = streams.find(({ name }) => name === one.stream)!;
  const became = await becameOf(one, knownOf(given), stream, signal);
  const differences = differencesOf(one.expect, became);
  return { title: one.title, line: one.line, differences, durationMs: performance.now() - begunAt };
}

/** What the row of a case becomes, given the assumed contents of the service and the store. */
export async function becameOf(
  { row = {}, gone }: Pick<MappingCase, "row" | "gone">,
  known: PlannedNames,
  stream: Stream,
  signal: AbortSignal,
): Promise<Became> {
  try {
    return await mapAsDelivered(stream, { row, deleted: gone !== undefined }, known, signal);
  } catch (thrown) {
    if (!(thrown instanceof ParkError) && !(thrown instanceof WaitError)) throw thrown;
    const { message, code, details } = errorFacts(thrown);
    return { kind: thrown instanceof ParkError ? "parked" : "waiting", message, code, details };
  }
}

/** The contents of the service and the store that a file of cases states. */
export function knownOf({ names, bound }: Pick<MappingCases, "names" | "bound">): PlannedNames {
  const known = new KnownNames({ load: (resource) => Promise.resolve(readNow(names[resource] ?? [])) });
  return {
    async lookup(resource, by, value) {
      const id = await known.lookup(resource, by, value);
      if (id !== undefined) return id;
      const name = canonicalJson(value);
      throw new ParkError("E_LOOKUP_UNKNOWN", `names in the test file have no ${resource} with ${by} ${name}`);
    },
    idOf: (name, key) => bound[name]?.[key],
  };
}

/** The records of a resource in the form in which the service's names are cached. */
function readNow(records: readonly Readonly<Record<string, Json>>[]) {
  const fields = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return { readAt: 0, entries: { fields, rows: records.map((record) => ({ ...record })) } };
}

function differencesOf(expect: MappingCase["expect"], became: Became): string[] {
  const { fields, skipped, parked, waiting, deleted } = expect;
  const told = [`it is ${outcomeText(became)}`];
  const message = parked ?? waiting;
  if (message !== undefined) {
    const kind = parked === undefined ? "waiting" : "parked";
    if (became.kind !== kind) return [`expected ${kind}: ${message}`, ...told];
    const isMeant = "code" in became && (became.code === message || became.message.includes(message));
    return isMeant ? [] : [`expected ${kind}: ${message}`, ...told];
  }
  if (skipped) return became.kind === "skip" ? [] : ["expected skipped", ...told];
  if (deleted !== undefined && (became.kind !== "deleted" || became.policy !== deleted))
    return [`expected deleted: ${deleted}`, ...told];
  if (deleted === undefined && became.kind !== "record") return ["expected fields", ...told];
  if (fields === undefined) return [];
  return fieldDifferences(fields, "fields" in became ? became.fields : {});
}

function outcomeText(became: Became): string {
  switch (became.kind) {
    case "record":
      return `mapped to ${canonicalJson(became.fields)}`;
    case "skip":
      return `skipped: ${became.reason}`;
    case "deleted":
      return `deleted: ${became.policy}`;
    case "parked":
    case "waiting":
      return `${became.kind}: ${errorText(became)}`;
  }
}

/** Lines of a diff: `-` is expected, `+` is what the mapping returns. */
export function fieldDifferences(
  expected: Readonly<Record<string, Json>>,
  found: Readonly<Record<string, Json>>,
): string[] {
  const names = new Set([...Object.keys(found), ...Object.keys(expected)]);
  return [...names].flatMap((name) => {
    const [wanted, given] = [expected[name], found[name]];
    if (wanted !== undefined && given !== undefined && canonicalJson(wanted) === canonicalJson(given)) return [];
    return [
      ...(wanted === undefined ? [] : [`- ${name}: ${canonicalJson(wanted)}`]),
      ...(given === undefined ? [] : [`+ ${name}: ${canonicalJson(given)}`]),
    ];
  });
}

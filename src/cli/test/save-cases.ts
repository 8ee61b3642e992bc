import { stat } from "node:fs/promises";
import { appendCases, loadMappingCases, type CaseAdditions, type MappingCase, type Stream } from "#mapping";
import { codeOf, recordLabel, StopError, SyncError, type Change, type Json, type ResourceName } from "#model";
import type { PlannedNames } from "#pipeline";
import { resourceNames } from "#service";
import { readIfThere, writeWhole } from "../output/whole-file.ts";
import { becameOf, knownOf, runCase, type Became } from "./run-case.ts";

/** Only the owner may see rows of the ERP. */
const OWNER_ONLY = 0o600;

type Expected = MappingCase["expect"];

/**
 * Adds a case for each row to a file of cases, with its current mapping result. Names and parents that the file lacks
 * get made-up ids. Existing contents stay: a record that has a case of its name keeps it.
 * @throws {StopError} E_TEST_FILE when it is not a file of cases, cannot be written, or cannot hold a value of the rows.
 */
export async function saveCases(
  file: string,
  changes: readonly Change[],
  stream: Stream,
  streams: readonly Stream[],
  signal: AbortSignal,
): Promise<{ readonly saved: number; readonly known: number }> {
  const context = { file, streams, resources: new Set(resourceNames) };
  const text = await readIfThere(file).catch((cause: unknown) => {
    throw new StopError("E_TEST_FILE", `${file} cannot be read: nothing was saved`, { cause });
  });
  const before =
    text === undefined ? { names: {}, bound: {}, cases: [], returns: [] } : loadMappingCases(text, context);
  const invented = new InventedIds(before);
  const cases: CaseAdditions["cases"][number][] = [];
  for (const change of changes) {
    const name = recordLabel({ stream: stream.name, key: change.key });
    if (before.cases.some((one) => one.name === name && one.stream === stream.name)) continue;
    const given = change.kind === "delete" ? ({ gone: true } as const) : { row: change.row };
    const became = await becameOf(given, invented, stream, signal);
    cases.push({ name, stream: stream.name, ...given, expect: expectedOf(became) });
  }
  if (cases.length > 0) {
    const next = appendCases(text, { ...invented.added, cases });
    // A row may contain what YAML cannot represent: nothing is written that does not load.
    const given = loadMappingCases(next, context);
    for (const one of given.cases.slice(-cases.length)) {
      const { title, differences } = await runCase(one, given, streams, signal);
      if (differences.length > 0)
        throw new StopError("E_TEST_FILE", `the row of ${title} cannot be kept in ${file}: nothing was saved`);
    }
    await writeWhole(file, next, await modeOf(file)).catch((cause: unknown) => {
      const reason = codeOf(cause) ?? "no access";
      throw new StopError("E_TEST_FILE", `${file} cannot be written (${reason}): nothing was saved`, { cause });
    });
  }
  return { saved: cases.length, known: changes.length - cases.length };
}

async function modeOf(file: string): Promise<number> {
  const { mode } = await stat(file).catch(() => ({ mode: OWNER_ONLY }));
  return mode & 0o777;
}

function expectedOf(became: Became): Expected {
  switch (became.kind) {
    case "record":
      return { fields: became.fields };
    case "skip":
      return { skipped: true };
    case "deleted":
      return became.policy === "set" ? { deleted: "set", fields: became.fields } : { deleted: became.policy };
    case "parked":
    case "waiting":
      return { [became.kind]: partOf(became) };
  }
}

/** The part of a message that stays the same: the field that it begins with, else the code. */
function partOf({ code, message }: Extract<Became, { readonly code: string }>): string {
  const [, place] = /^([\w-]+\.[\w.]+): /.exec(message) ?? [];
  return code === "E_MAPPING" && place !== undefined ? place : code;
}

/** Names and parents from the file, with made-up ids for those that it lacks. */
class InventedIds implements PlannedNames {
  readonly added: {
    names: Record<ResourceName, Record<string, Json>[]>;
    bound: Record<string, Record<string, number>>;
  } = { names: {}, bound: {} };
  readonly #before: Pick<CaseAdditions, "names" | "bound">;

  constructor(before: Pick<CaseAdditions, "names" | "bound">) {
    this.#before = before;
  }

  async lookup(...of: Parameters<PlannedNames["lookup"]>): Promise<number> {
    const [resource, by, value] = of;
    try {
      return await knownOf({ names: { [resource]: this.#names(resource) }, bound: {} }).lookup(...of);
    } catch (thrown) {
      if (!(thrown instanceof SyncError) || thrown.code !== "E_LOOKUP_UNKNOWN") throw thrown;
      const id = after(this.#names(resource).map((record) => record["id"]));
      (this.added.names[resource] ??= []).push({ id, [by]: value });
      return id;
    }
  }

  readonly idOf = (stream: string, key: string): number | null => {
    const [before, added] = [this.#before.bound[stream] ?? {}, (this.added.bound[stream] ??= {})];
    const known = before[key];
    if (known !== undefined) return known;
    return (added[key] ??= after([...Object.values(before), ...Object.values(added)]));
  };

  #names(resource: ResourceName) {
    return [...(this.#before.names[resource] ?? []), ...(this.added.names[resource] ?? [])];
  }
}

/** One more than the largest number. */
function after(ids: readonly (Json | undefined)[]): number {
  return 1 + Math.max(0, ...ids.filter((id) => typeof id === "number"));
}

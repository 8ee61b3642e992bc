import { canonicalJson, errorText, recordLabel, textLines } from "#model";
import { Reconciler, type Drift, type Reconciliation } from "#pipeline";
import { commandActor, withActor, type ActOptions } from "../../actor.ts";
import type { Registration } from "../../command-context.ts";
import { openPartsContext } from "../../parts-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";
import { table } from "../../output/table.ts";

/** Files of changes never tell which records exist. */
const NEVER_TOLD = "E_SOURCE_KEYS_UNKNOWN";

interface ReconcileOptions extends ActOptions {
  readonly repair?: boolean;
}

export const registerReconcile: Registration = (cli) =>
  withActor(
    cli
      .command("reconcile", "Read the service and the ERP's keys, and report differences from the store")
      .argument("[streams...]", "these streams (default: all)")
      .option("--repair", "rewrite owned fields that differ, and read rows that were missed"),
  ).action(cli.action(reconcile));

/**
 * `svcsync reconcile [STREAM…] [--repair]`: compares the service with what was last written, and the ERP with what was
 * read.
 */
async function reconcile(names: readonly string[], options: ReconcileOptions, io: Io): Promise<number> {
  await using context = await openPartsContext(options, io, names);
  const reconciler = new Reconciler(context.parts.store, context.parts.service, context.parts.sources.streams);
  const results: Reconciliation[] = [];
  for (const stream of context.configuration.syncFile.streams)
    if (names.length === 0 || names.includes(stream.name))
      results.push(await reconciler.reconcile(stream, options.repair ? commandActor(options) : undefined, io.signal));
  if (options.json) printJson(io.stdout, { streams: results });
  else io.stdout.write(asText(results));
  const drifts = results.flatMap((result) => result.drifts);
  if (!options.json) io.stdout.write(`\n${nextStep(drifts, options.repair ?? false)}\n`);
  return outcome(results, options.repair ?? false);
}

/** What a repair makes due again. */
const repairable: readonly Drift["kind"][] = ["changed", "missing", "merged"];

/** A repair writes differences and reads the rows that were not read; a person has to merge records that exist twice. */
function outcome(results: readonly Reconciliation[], repair: boolean): number {
  const kinds = new Set(results.flatMap(({ drifts }) => drifts.map(({ kind }) => kind)));
  if (kinds.has("doubled") || (!repair && repairable.some((kind) => kinds.has(kind)))) return exitCode.needsPerson;
  const isOpen = results.some(({ rowsUnknown }) => rowsUnknown !== undefined && rowsUnknown.code !== NEVER_TOLD);
  return isOpen || (!repair && kinds.has("unread")) ? exitCode.again : exitCode.ok;
}

function asText(results: readonly Reconciliation[]): string {
  const rows = results.map((result) => [
    result.stream,
    result.compared,
    count(result, "changed"),
    count(result, "missing"),
    count(result, "merged"),
    count(result, "doubled"),
    count(result, "unread"),
    result.repaired,
  ]);
  const lines = results.flatMap(({ stream, drifts, rowsUnknown }) => [
    ...drifts.map(asLine),
    ...(rowsUnknown ? [`${stream}: the ERP's rows were not compared: ${errorText(rowsUnknown)}`] : []),
  ]);
  return `${table(["stream", "compared", "fields changed", "missing", "merged", "doubled", "not read", "due again"], rows)}${textLines(lines)}`;
}

function nextStep(drifts: readonly Drift[], repair: boolean): string {
  if (drifts.length === 0) return "The service holds what was last written.";
  if (drifts.every(({ kind }) => kind === "unread"))
    return repair
      ? "The service holds what was last written. Rows that svcsync had missed were read now and are due."
      : 'The service holds what was last written. The next poll or sweep reads the rows that svcsync missed; "--repair" reads them now.';
  const doubled = drifts.some(({ kind }) => kind === "doubled")
    ? ["svcsync does not merge duplicates: merge them in the service."]
    : [];
  const repaired = repair
    ? "The differing fields are due again: the running daemon or the next sync writes them. `gone` of the stream decides about missing records."
    : 'Nothing was written. "svcsync reconcile --repair" writes the differing fields again; `gone` of the stream decides about missing records.';
  return drifts.every(({ kind }) => kind === "doubled") ? doubled.join("") : [repaired, ...doubled].join("\n");
}

function asLine(drift: Drift): string {
  const label = recordLabel(drift.id);
  switch (drift.kind) {
    case "changed":
      return `${label}: ${drift.field} was written as ${canonicalJson(drift.written)} and is ${canonicalJson(drift.found)}`;
    case "missing":
      return `${label}: ${drift.serviceId} no longer exists in the service`;
    case "merged":
      return `${label}: ${drift.serviceId} was merged into ${drift.to} in the service; its next write continues there`;
    case "unread":
      return `${label}: it exists in the ERP, but svcsync has not read it`;
    case "doubled":
      return `${label}: ${drift.resource} ${drift.serviceId} is there again as ${drift.doubles.join(", ")}`;
  }
}

function count({ drifts }: Reconciliation, kind: Drift["kind"]): number {
  return drifts.filter((drift) => drift.kind === kind).length;
}

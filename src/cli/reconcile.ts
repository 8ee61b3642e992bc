import { canonicalJson, oneLine, recordLabel } from "#model";
import { Reconciler, type Drift, type Reconciliation } from "#pipeline";
import { openPartsContext, type GlobalOptions } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printJson } from "./json.ts";
import { areKnown, unknownStream } from "./known-streams.ts";
import { table } from "./table.ts";

export interface ReconcileOptions extends GlobalOptions {
  readonly repair?: boolean;
  readonly json?: boolean;
}

/** `svcsync reconcile [STREAM…] [--repair]`: what the service holds beside what was last written. */
export async function reconcile(names: readonly string[], options: ReconcileOptions, io: Io): Promise<number> {
  await using context = await openPartsContext(options, io);
  if (!areKnown(names, context.configuration.syncFile.streams, io)) return unknownStream;
  const reconciler = new Reconciler(context.parts.store, context.parts.service);
  const results: Reconciliation[] = [];
  for (const stream of context.configuration.syncFile.streams)
    if (names.length === 0 || names.includes(stream.name))
      results.push(await reconciler.reconcile(stream, options.repair ?? false, io.signal));
  if (options.json) printJson(io.stdout, { streams: results });
  else io.stdout.write(asText(results));
  const drifts = results.flatMap((result) => result.drifts);
  if (!options.json) io.stdout.write(`\n${nextStep(drifts, options.repair ?? false)}\n`);
  // What differed is written again; records that are there twice are a person's to merge.
  const isLeft = options.repair ? drifts.some(({ kind }) => kind === "doubled") : drifts.length > 0;
  return isLeft ? exitCode.needsPerson : exitCode.ok;
}

function asText(results: readonly Reconciliation[]): string {
  const rows = results.map((result) => [
    result.stream,
    result.compared,
    count(result, "changed"),
    count(result, "missing"),
    count(result, "doubled"),
    result.repaired,
  ]);
  const lines = results.flatMap(({ drifts }) => drifts.map((drift) => `${oneLine(asLine(drift))}\n`));
  return `${table(["stream", "compared", "fields changed", "missing", "doubled", "due again"], rows)}${lines.join("")}`;
}

function nextStep(drifts: readonly Drift[], repair: boolean): string {
  if (drifts.length === 0) return "The service holds what was last written.";
  const doubled = drifts.some(({ kind }) => kind === "doubled")
    ? ["Doubles are for a person to merge in the service."]
    : [];
  const repaired = repair
    ? "What differed is due again: the running daemon or the next sync writes it; what is missing meets the stream's `gone`."
    : 'Nothing was written. "svcsync reconcile --repair" writes again what differs; what is missing meets the stream\'s `gone`.';
  return drifts.every(({ kind }) => kind === "doubled") ? doubled.join("") : [repaired, ...doubled].join("\n");
}

function asLine(drift: Drift): string {
  const label = recordLabel(drift.id);
  switch (drift.kind) {
    case "changed":
      return `${label}: ${drift.field} was written as ${canonicalJson(drift.written)} and is ${canonicalJson(drift.found)}`;
    case "missing":
      return `${label}: ${drift.serviceId} no longer exists in the service`;
    case "doubled":
      return `${label}: ${drift.resource} ${drift.serviceId} is there again as ${drift.doubles.join(", ")}`;
  }
}

function count({ drifts }: Reconciliation, kind: Drift["kind"]): number {
  return drifts.filter((drift) => drift.kind === kind).length;
}

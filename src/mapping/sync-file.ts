import type { SyncFile } from "./contract.ts";
import { checkAdapterWords } from "./check/adapter-words.ts";
import { crossCheck, referencesOf } from "./check/cross-check.ts";
import { syncFileError, type PlacedProblem, type Problem } from "./check/problem.ts";
import { checkShape } from "./check/shape-problem.ts";
import { checkSources } from "./check/source-entry.ts";
import { orderStreams } from "./check/stream-order.ts";
import { checkStream } from "./check/stream-words.ts";
import { YamlText } from "./check/yaml-text.ts";
import { compileStream } from "./compile/stream.ts";
import { isObject, memberOf } from "./object.ts";
import type { SyncFileContext } from "./sync-file-context.ts";
import { checkReturn } from "./returns/check.ts";
import { compileReturn } from "./returns/compile.ts";
import { crossCheckReturn } from "./returns/cross-check.ts";
import { readsOf } from "./returns/reads.ts";
import { fileHead } from "./words.ts";

/**
 * Checks the whole text of a sync file and compiles it. Pure: the same text and context give the same result.
 * @throws {StopError} E_SYNC_FILE with every problem, sorted by place: `config/svcsync.yaml:12:7 streams.customers…: found
 * …`; `details.problems` has the same as line, column, path and message. It contains no value of the environment.
 */
export function loadSyncFile(text: string, context: SyncFileContext): SyncFile {
  const yaml = new YamlText(text);
  if (yaml.problems.length > 0) throw syncFileError(context.file, yaml.problems);

  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const keep = <T extends Checked>(checked: T): T => {
    problems.push(...checked.problems);
    warnings.push(...(checked.warnings ?? []));
    return checked;
  };

  keep(checkShape(fileHead, yaml.value, [], { hideValues: true }));
  const streamWords = partOf(yaml.value, "streams");
  const sourceWords = partOf(yaml.value, "sources");
  const sources = keep(checkSources(sourceWords, context));
  const streams = Object.entries(streamWords).map(([name, words]) => keep(checkStream(name, words)));
  const names = Object.keys(streamWords);
  const { resources, embeds = () => [] } = context;
  const known = { sources: sources.readShapes, streams: names, resources, embeds };
  problems.push(...crossCheck(streams, known));
  const returns = Object.entries(partOf(yaml.value, "returns")).map(([name, words]) => {
    const checked = keep(checkReturn(name, words));
    problems.push(...crossCheckReturn(checked, known, streams));
    return { checked, reads: keep(readsOf(checked)) };
  });

  const compilable = streams.flatMap(({ name, path, head, parts, fields }) => {
    const shape = sources.readShapes.get(parts.source ?? "");
    if (!shape) return [];
    const read = keep(checkAdapterWords(shape, parts.read, [...path, "read"])).value;
    return head ? [{ name, head, fields, read }] : [];
  });
  if (problems.length > 0)
    throw syncFileError(
      context.file,
      problems.map((problem) => yaml.place(problem)),
    );

  const order = orderStreams(names, referencesOf(streams)).names;
  return {
    sources: sources.entries,
    secrets: sources.secrets,
    sourcesWith: (environment) => {
      const { entries, secrets } = checkSources(sourceWords, { ...context, environment });
      return { sources: entries, secrets };
    },
    unsetVariables: sources.unsetVariables,
    variables: sources.variables,
    streams: compilable.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name)).map(compileStream),
    returns: returns.map(({ checked, reads }) => compileReturn(checked, reads)),
    warnings: onePerPlace(warnings.map((warning) => yaml.place(warning))),
  };
}

interface Checked {
  readonly problems: readonly Problem[];
  readonly warnings?: readonly Problem[];
}

/** Removes repeats: the words of an anchor are read in each stream that refers to it. */
function onePerPlace(warnings: readonly PlacedProblem[]): readonly PlacedProblem[] {
  const places = new Map(warnings.map((warning) => [`${warning.line}:${warning.column}`, warning]));
  return [...places.values()].toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function partOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const part = memberOf(value, name);
  return isObject(part) ? part : {};
}

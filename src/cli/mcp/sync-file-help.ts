import { readFileSync } from "node:fs";
import { schemaText } from "#mapping";
import { isJsonObject, nearest, programFile, type Json } from "#model";
import { resourceNames } from "#service";
import { adapters } from "#sources";
import { version } from "#telemetry";
import { UsageError } from "../output/io.ts";
import { SchemaPlace, type Form, type Word } from "./schema-place.ts";

/** What may stand at a place of the sync file. */
interface SyncFileHelp {
  readonly path: string;
  readonly forms: readonly Form[];
  readonly words: readonly Word[];
  /** Names of your own may stand below. */
  readonly takesNames: boolean;
  /** The section of docs/sync-file.md about the last word of the path that has one. */
  readonly documentation?: string;
}

/** Where the words depend on the adapter. */
const ofAdapter = /^(sources\.[^.]+|streams\.[^.]+\.read)(\.|$)/;

/**
 * Explains a place of the sync file by the schema that editors use and by the documentation.
 * @throws {UsageError} when nothing may stand there, or the place depends on an adapter that is missing or unknown.
 */
export function syncFileHelp(path: string, adapter: string | undefined): SyncFileHelp {
  const named = adapter === undefined ? undefined : adapters.get(adapter);
  if (named === undefined && (adapter !== undefined || ofAdapter.test(path))) throw adapterNeeded(path, adapter);
  const known = named === undefined ? adapters : new Map([[adapter!, named]]);
  const schema: Json = JSON.parse(schemaText(known, resourceNames, version));
  if (!isJsonObject(schema)) throw new TypeError("a schema is an object");
  let place = SchemaPlace.atRoot(schema);
  let above = "the sync file";
  for (const step of stepsOf(path)) {
    const next = place.below(step);
    if (next === undefined) throw unknownWord(step, above, place);
    place = next;
    above = above === "the sync file" ? step : `${above}.${step}`;
  }
  const { forms, words, takesNames } = place;
  const documentation = documentationOf(stepsOf(path));
  return { path, forms, words, takesNames, ...(documentation === undefined ? {} : { documentation }) };
}

/** The words of a path. A custom field's name has a dot of its own. */
function stepsOf(path: string): string[] {
  return path === "" ? [] : path.replace(/(^|\.)customFields\.([^.]+)/g, "$1customFields:$2").split(".");
}

function adapterNeeded(path: string, adapter: string | undefined): UsageError {
  const found =
    adapter === undefined ? `${path} depends on the adapter of its source` : `${JSON.stringify(adapter)} is no adapter`;
  return new UsageError(`${found}: give adapter as one of ${[...adapters.keys()].join(", ")}.`);
}

function unknownWord(step: string, above: string, { words }: SchemaPlace): UsageError {
  const known = words.map(({ word }) => word);
  const meant = nearest(step, known);
  const expected = known.length === 0 ? "nothing may stand below it" : `expected ${known.join(", ")}`;
  return new UsageError(
    `${above}: found ${JSON.stringify(step)}, ${meant === undefined ? expected : `did you mean ${meant}? ${expected}`}`,
  );
}

/** The section about the last of these words that has a heading; undefined where the documentation is not installed. */
function documentationOf(steps: readonly string[]): string | undefined {
  let text: string;
  try {
    text = readFileSync(programFile("../docs/sync-file.md"), "utf8");
  } catch {
    return undefined;
  }
  const sections = new Map(
    text.split(/^(?=#{2,3} )/m).map((section) => [/^#+ (.*)/.exec(section)?.[1]?.toLowerCase() ?? "", section.trim()]),
  );
  return steps
    .toReversed()
    .map((step) => sections.get(step.toLowerCase()))
    .find((section) => section !== undefined);
}

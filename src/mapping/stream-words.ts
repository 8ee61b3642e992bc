import type { z } from "zod";
import type { FilePath, Problem } from "./problem.ts";
import { checkShape } from "./shape-problem.ts";
import { fields as fieldsShape, streamHead, type FieldWords, type StreamHead } from "./words.ts";

/** A stream's words as far as they are well-formed: cross-checks go on with what is there. */
export interface CheckedStream {
  readonly name: string;
  readonly path: FilePath;
  /** Undefined where something in it is wrong. */
  readonly head: StreamHead | undefined;
  /** The well-formed fields. */
  readonly fields: ReadonlyMap<string, FieldWords>;
  /** Every name under `fields`, well-formed or not. */
  readonly fieldNames: readonly string[];
  readonly problems: readonly Problem[];
}

/** Checks the words of a stream: its fields each alone, so that one wrong field hides no other problem. */
export function checkStream(name: string, words: unknown): CheckedStream {
  const path = ["streams", name];
  const fieldsWords = isObject(words) ? words["fields"] : undefined;
  const head = checkShape(streamHead, words, path);
  const problems = [...head.problems];
  const fields = new Map<string, FieldWords>();
  const isTable = isObject(fieldsWords) && Object.keys(fieldsWords).length > 0;
  if (isTable)
    for (const [field, value] of Object.entries(fieldsWords)) {
      const checked = checkShape(fieldsShape as z.ZodType<Record<string, FieldWords>>, { [field]: value }, [
        ...path,
        "fields",
      ]);
      problems.push(...checked.problems);
      for (const [name, words] of Object.entries(checked.value ?? {})) fields.set(name, words);
    }
  else if (isObject(words))
    problems.push({ path: [...path, "fields"], message: "found no fields, wanted at least one: name: column" });
  return {
    name,
    path,
    head: head.value,
    fields,
    fieldNames: isTable ? Object.keys(fieldsWords) : [],
    problems,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import type { z } from "zod";
import { isObject } from "../object.ts";
import {
  fields as fieldsShape,
  headParts,
  streamHead,
  type HeadParts,
  type FieldWords,
  type StreamHead,
} from "../words.ts";
import type { FilePath, Problem } from "./problem.ts";
import { checkShape } from "./shape-problem.ts";

/** A stream's words, as far as they are well-formed: cross-checks use whatever exists. */
export interface CheckedStream {
  readonly name: string;
  readonly path: FilePath;
  /** Undefined where something in it is wrong. */
  readonly head: StreamHead | undefined;
  /** The well-formed words of the head. */
  readonly parts: HeadParts;
  /** The well-formed fields. */
  readonly fields: ReadonlyMap<string, FieldWords>;
  /** Every name under `fields`, well-formed or not. */
  readonly fieldNames: readonly string[];
  readonly problems: readonly Problem[];
}

/** Checks the words of a stream. Each field is checked alone, so that one wrong field hides no other problem. */
export function checkStream(name: string, words: unknown): CheckedStream {
  const path = ["streams", name];
  const head = checkShape(streamHead, words, path);
  const problems = [...head.problems];
  const fieldsWords = isObject(words) && isObject(words["fields"]) ? words["fields"] : {};
  const fieldNames = Object.keys(fieldsWords);
  if (isObject(words) && fieldNames.length === 0)
    problems.push({
      path: [...path, "fields"],
      message: "found no fields, expected at least one, e.g. name: a_column",
    });
  const fields = new Map<string, FieldWords>();
  for (const field of fieldNames) {
    const checked = checkShape(fieldsShape, { [field]: fieldsWords[field] }, [...path, "fields"]);
    problems.push(...checked.problems);
    for (const [name, words] of Object.entries(checked.value ?? {})) fields.set(name, words);
  }
  const parts = head.value ?? wellFormed(words);
  return { name, path, head: head.value, parts, fields, fieldNames, problems };
}

function wellFormed(words: unknown): HeadParts {
  const shape: Readonly<Record<string, z.ZodType>> = streamHead.shape;
  const entries = Object.entries(isObject(words) ? words : {});
  const valid = entries.filter(([word, value]) => Object.hasOwn(shape, word) && shape[word]!.safeParse(value).success);
  return headParts.parse(Object.fromEntries(valid));
}

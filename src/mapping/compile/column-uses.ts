import { allColumnsOf } from "../expression/expression-columns.ts";
import { Evaluation } from "../expression/evaluation.ts";
import type { ColumnUse } from "../contract.ts";
import { parsePath } from "./column-path.ts";
import type { FieldWords, StreamHead, ValueWords } from "../words.ts";

/** Which columns a stream's words read, and for what purpose: once for each place. */
export function columnUses(head: StreamHead, fields: ReadonlyMap<string, FieldWords>): readonly ColumnUse[] {
  const conditions = [head.when, head.deleted?.when].flatMap((text) => (text === undefined ? [] : ofExpression(text)));
  return [
    ...conditions.map((column) => ({ column, isTested: true })),
    ...[...fields].flatMap(([field, words]) => usesOf(words).map((use) => ({ ...use, field }))),
  ];
}

function usesOf(words: FieldWords): ColumnUse[] {
  if (typeof words === "string") return ofValue(words, false);
  if ("ref" in words) return [words.key].flat().flatMap((part) => ofValue(part, true));
  if ("lookup" in words) return ofValue(words.value, true);
  if ("tags" in words) return ofValue(words.tags, true);
  return ofValue(words, false);
}

function ofValue(words: ValueWords, isSought: boolean): ColumnUse[] {
  if (typeof words === "string") return ofPath(words).map((column) => ({ column, isTested: isSought }));
  if ("const" in words) return [];
  const columns = "from" in words ? ofPath(words.from) : ofExpression(words.expr);
  return columns.map((column) => ({ column, isTested: isSought || words.map !== undefined }));
}

function ofPath(path: string): string[] {
  const parsed = parsePath(path);
  return parsed ? [parsed.column] : [];
}

function ofExpression(text: string): readonly string[] {
  return allColumnsOf(new Evaluation(text).ast);
}

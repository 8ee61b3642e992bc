import { createHash } from "node:crypto";
import { canonicalJson, type ReturnContent, type ReturnKind, type ReturnLine } from "#model";

/** A line before it is compared with a former version. */
export type NewLine = Pick<ReturnLine, "kind" | "id" | "amount" | "fields">;

/** The lines with how they differ from those of the content that they replace: in the order of their kinds, then of their ids. */
export function comparedLines(
  lines: readonly NewLine[],
  before: ReturnContent | undefined,
  kinds: readonly string[],
): ReturnLine[] {
  const former = new Map(present(before).map((line) => [nameOf(line), line]));
  const compared = lines.map((line): ReturnLine => {
    const old = former.get(nameOf(line));
    former.delete(nameOf(line));
    if (old === undefined) return { ...line, change: "added", amountBefore: null };
    const change = textOf(old) === textOf(line) ? "same" : "changed";
    return { ...line, change, amountBefore: old.amount };
  });
  const rank = ({ kind }: ReturnLine) => (kinds.includes(kind) ? kinds.indexOf(kind) : kinds.length);
  return [...compared, ...[...former.values()].map(removed)].toSorted(
    (one, other) => rank(one) - rank(other) || compareTexts(one.kind, other.kind) || one.id - other.id,
  );
}

/** What a cancellation says: the former fields, all lines removed. */
export function cancelledContent(before: ReturnContent): ReturnContent {
  return { fields: before.fields, lines: present(before).map(removed) };
}

/** The same statement, with its differences to what it replaces now. */
export function comparedAgain(kind: ReturnKind, content: ReturnContent, before: ReturnContent): ReturnContent {
  if (kind === "cancelled") return { ...content, lines: cancelledContent(before).lines };
  const lines = present(content);
  return { ...content, lines: comparedLines(lines, before, [...new Set(lines.map((line) => line.kind))]) };
}

/**
 * SHA-256 in hex of the statement itself: whether it cancels, the fields, and the lines without removed ones and without their differences. The order
 * of lines and fields does not count.
 */
export function statementHash(kind: ReturnKind, { fields, lines }: ReturnContent): string {
  const texts = lines.filter(({ change }) => change !== "removed").map(textOf);
  const statement = { cancels: kind === "cancelled", fields: { ...fields }, lines: texts.toSorted(compareTexts) };
  return createHash("sha256").update(canonicalJson(statement)).digest("hex");
}

function present(content: ReturnContent | undefined): ReturnLine[] {
  return (content?.lines ?? []).filter(({ change }) => change !== "removed");
}

function removed(line: ReturnLine): ReturnLine {
  return { ...line, change: "removed", amount: line.amount === null ? null : "0", amountBefore: line.amount };
}

function nameOf({ kind, id }: NewLine): string {
  return `${kind}/${id}`;
}

function textOf({ kind, id, amount, fields }: NewLine): string {
  return canonicalJson({ kind, id, amount, fields: { ...fields } });
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

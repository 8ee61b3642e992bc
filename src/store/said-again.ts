import type { Return, ReturnLine } from "#model";

/** The version that repeats what the ERP refused: to the refused one, nothing has changed. */
export function sayAgain(
  { stream, subject, version: replaces, kind, serviceId, hash, content }: Return,
  version: number,
): Return {
  const isCancelled = kind === "cancelled";
  return {
    stream,
    subject,
    serviceId,
    hash,
    version,
    replaces,
    kind: kind === "fact" ? "correction" : kind,
    content: isCancelled
      ? content
      : { ...content, lines: content.lines.filter(({ change }) => change !== "removed").map(unchanged) },
  };
}

function unchanged(line: ReturnLine): ReturnLine {
  return { ...line, change: "same", amountBefore: line.amount };
}

import type { Return, ReturnLine } from "#model";

/** The version that repeats what the ERP refused: to the version before, nothing has changed. */
export function sayAgain({ stream, subject, version, kind, serviceId, hash, content }: Return): Return {
  const isCancelled = kind === "cancelled";
  return {
    stream,
    subject,
    serviceId,
    hash,
    version: version + 1,
    replaces: version,
    kind: kind === "fact" ? "correction" : kind,
    content: isCancelled
      ? content
      : { ...content, lines: content.lines.filter(({ change }) => change !== "removed").map(unchanged) },
  };
}

function unchanged(line: ReturnLine): ReturnLine {
  return { ...line, change: "same", amountBefore: line.amount };
}

import { counted } from "#model";
import { roughDuration } from "#operator";
import type { NoticeEvent, QueuedEvent, Severity } from "#store";
import { rank, worse } from "./ledger.ts";

/** One condition in a message. */
export interface DigestEntry {
  readonly change: NoticeEvent["change"];
  readonly kind: string;
  readonly severity: Severity;
  readonly title: string;
  readonly cause?: string | undefined;
  readonly affected: string;
  readonly remedy?: string | undefined;
  readonly count?: number | undefined;
  readonly since: number;
  /** When it ended. */
  readonly until?: number | undefined;
}

/** All waiting events of a channel, as one message. */
export interface Digest {
  /** Stays the same when the same message is sent again, so that a receiver can drop the copy. */
  readonly id: string;
  /** The name of the installation that sends it. */
  readonly from: string;
  readonly at: number;
  /** The worst severity of the unresolved entries; `note` if all are resolved. */
  readonly severity: Severity;
  readonly subject: string;
  readonly entries: readonly DigestEntry[];
  /** The number of entries that are not listed. */
  readonly more: number;
}

/** Most entries listed: a storm of a thousand causes still fits on one page. */
const ENTRIES_MAX = 20;

/** Combines a channel's waiting events: the latest event of each condition, open ones first, worst first. */
export function digestOf(queued: readonly QueuedEvent[], from: string, at: number): Digest | undefined {
  const latest = new Map<string, NoticeEvent>();
  for (const { event } of queued) latest.set(event.notice.id, merged(latest.get(event.notice.id), event));
  const entries = [...latest.values()]
    .map(entryOf)
    .toSorted((a, b) => Number(isOver(a)) - Number(isOver(b)) || rank(b.severity) - rank(a.severity));
  const first = queued[0];
  if (first === undefined) return undefined;
  const open = entries.filter((entry) => !isOver(entry));
  const severity = open.reduce<Severity>((worst, entry) => worse(worst, entry.severity), "note");
  return {
    id: `${first.event.at.toString(36)}-${first.number}-${queued.at(-1)!.number}`,
    from,
    at,
    severity,
    subject: subjectOf(entries, open),
    entries: entries.slice(0, ENTRIES_MAX),
    more: Math.max(0, entries.length - ENTRIES_MAX),
  };
}

/** An undelivered beginning stays a beginning, whatever was queued after it, except its end. */
function merged(earlier: NoticeEvent | undefined, later: NoticeEvent): NoticeEvent {
  if (earlier?.change !== "begun" || later.change === "resolved") return later;
  return { ...later, change: "begun" };
}

function entryOf({ change, notice }: NoticeEvent): DigestEntry {
  const { kind, severity, title, cause, affected, remedy, count, firstSeenAt: since, goneAt: until } = notice;
  return { change, kind, severity, title, cause, affected, remedy, count, since, until };
}

function isOver({ change }: DigestEntry): boolean {
  return change === "resolved";
}

const words: Readonly<Record<NoticeEvent["change"], string>> = {
  begun: "",
  grown: "Worse: ",
  reminder: "Still: ",
  resolved: "Resolved: ",
};

function subjectOf(entries: readonly DigestEntry[], open: readonly DigestEntry[]): string {
  const first = open[0] ?? entries[0]!;
  const others = (open.length > 0 ? open.length : entries.length) - 1;
  const more = others === 0 ? "" : ` (and ${counted(others, "other")})`;
  return `${words[first.change]}${first.title}${more}`;
}

/** The message of `svcsync notify --test`. */
export function testDigest(from: string, at: number): Digest {
  return {
    id: `test-${at.toString(36)}`,
    from,
    at,
    severity: "note",
    subject: "Test message",
    entries: [
      {
        change: "begun",
        kind: "test",
        severity: "note",
        title: "This is a test: messages of svcsync arrive here",
        affected: "nothing",
        since: at,
      },
    ],
    more: 0,
  };
}

/** The message as text lines, for mail and chat. */
export function textOf(digest: Digest): string {
  const more = digest.more > 0 ? [moreText(digest.more)] : [];
  return `${[...blocksOf(digest), ...more].join("\n\n")}\n`;
}

export function headingOf({ from, subject }: Digest): string {
  return oneLineOf(`svcsync ${from}: ${subject}`);
}

/** The lines about each entry. No text of another system starts a line. */
export function blocksOf({ entries, at }: Digest): string[] {
  return entries.map((entry) => blockOf(entry, at));
}

/** Says how many entries a message leaves out. */
export function moreText(count: number): string {
  return `And ${counted(count, "more cause")}: "svcsync records" lists them.`;
}

function blockOf(entry: DigestEntry, at: number): string {
  const { change, since, until } = entry;
  const [title, affected] = [entry.title, entry.affected].map(oneLineOf);
  const [cause, remedy] = [entry.cause, entry.remedy].map((text) => text && oneLineOf(text));
  const lines = [`${words[change]}${title}`];
  if (cause !== undefined) lines.push(`Cause: ${cause}`);
  lines.push(`Affected: ${affected}`);
  lines.push(
    until === undefined
      ? `Since: ${instant(since)} (${roughDuration(at - since)})`
      : `From ${instant(since)} to ${instant(until)} (${roughDuration(until - since)})`,
  );
  if (remedy !== undefined && until === undefined) lines.push(`What to do: ${remedy}`);
  return lines.join("\n");
}

function oneLineOf(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]\s*/g, " ");
}

/** `2026-11-22 11:30 UTC` */
function instant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** A file that was claimed, as its name in the processing or the done folder tells it. */
export interface ClaimedFile {
  /** When it was claimed; no two files share one, and they sort by it. */
  readonly stamp: string;
  readonly name: string;
  /** Its name in the folder where it is. */
  readonly stored: string;
  readonly place: "processing" | "done";
  /** Known once it was read. */
  readonly rows: number;
  /** True where the absence of a record in it means nothing. */
  readonly partial: boolean;
}

const CLAIMED = /^(\d{8}T\d{9}Z)_(.+)$/;
const DONE = /^(\d{8}T\d{9}Z)_(\d+)rows(_partial)?_(.+)$/;

/** `20260302T100000000Z_customers.csv` */
export function claimedName(stamp: string, name: string): string {
  return `${stamp}_${name}`;
}

/** `20260302T100000000Z_500rows_customers.csv` */
export function doneName({ stamp, name }: ClaimedFile, rows: number, partial: boolean): string {
  return `${stamp}_${rows}rows${partial ? "_partial" : ""}_${name}`;
}

/** Undefined for a file that svcsync did not put there. */
export function parseClaimed(stored: string): ClaimedFile | undefined {
  const match = CLAIMED.exec(stored);
  if (match === null) return undefined;
  return { stamp: match[1]!, name: match[2]!, stored, place: "processing", rows: 0, partial: false };
}

export function parseDone(stored: string): ClaimedFile | undefined {
  const match = DONE.exec(stored);
  if (match === null) return undefined;
  const [, stamp = "", rows, partial, name = ""] = match;
  return { stamp, name, stored, place: "done", rows: Number(rows), partial: partial !== undefined };
}

/** An instant as a stamp, later than `last` even where the clock went back. */
export function stampAfter(last: string | undefined, now: number): string {
  const own = stampText(now);
  if (last === undefined || own > last) return own;
  const iso = last.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/, "$1-$2-$3T$4:$5:$6.$7Z");
  return stampText(Date.parse(iso) + 1);
}

function stampText(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, "");
}

/** `*` and `?` as in a shell. */
export function matcher(pattern: string): (name: string) => boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  const expression = new RegExp(`^${escaped}$`);
  return (name) => expression.test(name);
}

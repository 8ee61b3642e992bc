/** A claimed file, as its name in the processing or the done folder describes it. */
export interface ClaimedFile {
  /** When it was claimed. Stamps are unique, and files sort by them. */
  readonly stamp: string;
  readonly name: string;
  /** Its name in the folder where it is. */
  readonly stored: string;
  readonly place: "processing" | "done";
  /** How many records it holds, readable or not; 0 until it was read. */
  readonly rows: number;
  /** Why a record's absence from the file proves nothing; undefined if absence counts. */
  readonly gaps: Gaps | undefined;
}

/** `partial`: much shorter than the full file before. `keyless`: some lines have no readable key. */
export type Gaps = "partial" | "keyless";

const CLAIMED = /^(\d{8}T\d{9}Z)_(.+)$/;
const DONE = /^(\d{8}T\d{9}Z)_(\d+)rows(?:_(partial|keyless))?_(.+)$/;

/** `20260302T100000000Z_customers.csv` */
export function claimedName(stamp: string, name: string): string {
  return `${stamp}_${name}`;
}

/** `20260302T100000000Z_500rows_customers.csv` */
export function doneName({ stamp, name }: ClaimedFile, rows: number, gaps: Gaps | undefined): string {
  return `${stamp}_${rows}rows${gaps === undefined ? "" : `_${gaps}`}_${name}`;
}

/** Returns undefined for a file that svcsync did not put there. */
export function parseClaimed(stored: string): ClaimedFile | undefined {
  const [, stamp, name] = CLAIMED.exec(stored) ?? [];
  if (stamp === undefined || name === undefined) return undefined;
  return { stamp, name, stored, place: "processing", rows: 0, gaps: undefined };
}

export function parseDone(stored: string): ClaimedFile | undefined {
  const match = DONE.exec(stored);
  if (match === null) return undefined;
  const [, stamp = "", rows, word, name = ""] = match;
  const gaps = word === "partial" || word === "keyless" ? word : undefined;
  return { stamp, name, stored, place: "done", rows: Number(rows), gaps };
}

/** Returns the instant as a stamp. It is later than `last` even if the clock was set back. */
export function stampAfter(last: string | undefined, now: number): string {
  const own = stampText(now);
  if (last === undefined || own > last) return own;
  const iso = last.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/, "$1-$2-$3T$4:$5:$6.$7Z");
  return stampText(Date.parse(iso) + 1);
}

function stampText(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, "");
}

/** Matches names by `*` and `?`, as in a shell. */
export function matcher(pattern: string): (name: string) => boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  const expression = new RegExp(`^${escaped}$`);
  return (name) => expression.test(name);
}

import type { Change, ChangeBatch, Cursor } from "#model";
import type { SourceStream } from "#sources";
import { never } from "../kit/outcome.ts";

/** What svcsync would know of an ERP: the latest name by key, and where to go on. */
export class Reader {
  readonly names = new Map<string, unknown>();
  readonly #stream: SourceStream;
  cursor: Cursor | null = null;

  constructor(stream: SourceStream) {
    this.#stream = stream;
  }

  /** Polls to the end, or stops after `batches` as if the process had died. Returns the changes that it saw. */
  async poll(batches = Infinity): Promise<readonly Change[]> {
    const seen: Change[] = [];
    if (batches === 0) return seen;
    let count = 0;
    for await (const batch of this.#stream.changes(this.cursor, never)) {
      this.take(batch);
      seen.push(...batch.changes);
      if (++count >= batches) break;
    }
    return seen;
  }

  take({ changes, cursor }: ChangeBatch): void {
    for (const change of changes) this.names.set(change.key, change.kind === "upsert" ? change.row["name"] : undefined);
    // As the store keeps it: through JSON.
    const plain: Cursor = JSON.parse(JSON.stringify(cursor));
    this.cursor = plain;
  }
}

export async function allKeys(stream: SourceStream): Promise<string[]> {
  const keys: string[] = [];
  for await (const batch of stream.keys(never)) keys.push(...batch);
  return keys;
}

export function rows(count: number, name: string, prefix = "K"): { key: string; name: string }[] {
  return Array.from({ length: count }, (_, at) => ({ key: `${prefix}${String(at).padStart(6, "0")}`, name }));
}

export interface MemoryRow {
  readonly id: number;
  readonly name: string;
  /** Microseconds since 1970. */
  readonly stamp: number | null;
}

export interface Selection {
  readonly from?: number | undefined;
  readonly below?: number | undefined;
  readonly after?: number | undefined;
  readonly order: "stamp" | "id";
  readonly offset?: number;
  readonly limit: number;
  readonly nulls?: boolean;
}

/** The rows behind a test server: what its SQL would give. */
export class MemoryErp {
  readonly rows = new Map<number, MemoryRow>();
  /** Called after every page that was read: the moment at which other users write. */
  afterPage: () => void = () => {};

  put(id: number, stamp: number | null, name = `Müller & Söhne ${id}`): void {
    this.rows.set(id, { id, name, stamp });
  }

  /** Many rows of one transaction: all with the same stamp. */
  fill(count: number, stamp: number | null, first = 1): this {
    for (let id = first; id < first + count; id++) this.put(id, stamp);
    return this;
  }

  select({ from, below, after, order, offset = 0, limit, nulls = false }: Selection): MemoryRow[] {
    const windowed = from !== undefined || below !== undefined;
    const rows = [...this.rows.values()]
      .filter(({ stamp }) => (nulls ? stamp === null : !windowed || stamp !== null))
      .filter(({ stamp }) => from === undefined || stamp! >= from)
      .filter(({ stamp }) => below === undefined || stamp! < below)
      .filter(({ id }) => after === undefined || id > after)
      .toSorted((a, b) => (order === "stamp" ? (a.stamp ?? 0) - (b.stamp ?? 0) : 0) || a.id - b.id)
      .slice(offset, offset + limit);
    this.afterPage();
    return rows;
  }
}

/** Microseconds of an ISO text. */
export function micros(iso: string): number {
  return Date.parse(iso) * 1000;
}

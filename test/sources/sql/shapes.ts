export type DialectName = "sqlite" | "postgres" | "mysql" | "mssql";

/** One way in which tables say what changed, in the words of each database. */
export interface Shape {
  readonly name: string;
  /** The columns beside key and name. */
  readonly columns: Readonly<Partial<Record<DialectName, string>>>;
  /** The column names, and for a stamp their values, as SQL. */
  readonly marks: readonly string[];
  values(atMs: number | null, dialect: DialectName): readonly string[];
  /** The stream's `read`, beside table and key. */
  readonly read: Readonly<Record<string, unknown>>;
  /** Stamps are readings of a clock in Berlin. */
  readonly wall?: boolean;
  /** Deleted keys are written down, in the same transaction. */
  readonly tombstones?: boolean;
  /** Every change is written down, in the same transaction. */
  readonly outbox?: boolean;
}

const berlin = new Intl.DateTimeFormat("sv-SE", {
  timeZone: "Europe/Berlin",
  dateStyle: "short",
  timeStyle: "medium",
});

/** `2025-03-01 10:00:00.123`, read from a clock in Berlin. */
function reading(atMs: number): string {
  return `${berlin.format(atMs)}.${String(Math.floor(atMs % 1000)).padStart(3, "0")}`;
}

function quoted(value: string | null): string {
  return value === null ? "null" : `'${value}'`;
}

const wall: Shape = {
  name: "wall-clock stamp",
  columns: {
    sqlite: "changed text",
    postgres: "changed timestamp",
    mysql: "changed datetime(6)",
    mssql: "changed datetime2(7)",
  },
  marks: ["changed"],
  values: (at) => [quoted(at === null ? null : reading(at))],
  read: { changed: "changed" },
  wall: true,
  tombstones: true,
};

const instant: Shape = {
  name: "instant stamp",
  columns: {
    sqlite: "changed integer",
    postgres: "changed timestamptz",
    mysql: "changed timestamp(6) null",
    mssql: "changed datetimeoffset(7)",
  },
  marks: ["changed"],
  values(at, dialect) {
    if (at === null) return ["null"];
    if (dialect === "sqlite") return [String(Math.floor(at))];
    const text = new Date(at).toISOString().replace("T", " ").replace("Z", "");
    return [quoted({ postgres: `${text}+00`, mysql: text, mssql: `${text} +00:00` }[dialect])];
  },
  read: { changed: "changed" },
};

const twoColumns: Shape = {
  name: "date and time columns",
  columns: {
    sqlite: "changed_on text, changed_at integer",
    postgres: "changed_on date, changed_at time",
    mysql: "changed_on date, changed_at varchar(8)",
    mssql: "changed_on date, changed_at time(7)",
  },
  marks: ["changed_on", "changed_at"],
  values(at, dialect) {
    if (at === null) return ["null", "null"];
    const [day = "", clock = ""] = reading(at).split(" ");
    return [quoted(day), dialect === "sqlite" ? clock.slice(0, 8).replaceAll(":", "") : quoted(clock.slice(0, 8))];
  },
  read: { changed: { date: "changed_on", time: "changed_at" } },
  wall: true,
};

const sequence: Shape = {
  name: "sequence",
  columns: { sqlite: "revision integer", postgres: "revision bigint" },
  marks: ["revision"],
  values: (_, dialect) => [
    dialect === "postgres" ? "nextval('revisions')" : "(select coalesce(max(revision), 0) + 1 from items)",
  ],
  read: { changed: { counter: "revision", kind: "sequence" } },
};

const outbox: Shape = {
  name: "outbox",
  columns: { sqlite: "", postgres: "", mysql: "", mssql: "" },
  marks: [],
  values: () => [],
  read: { outbox: { table: "outbox", sequence: "number", key: "nr" } },
  outbox: true,
};

const whole: Shape = {
  name: "no stamp",
  columns: { sqlite: "", postgres: "", mysql: "", mssql: "" },
  marks: [],
  values: () => [],
  read: {},
};

const rowversion: Shape = {
  name: "rowversion",
  columns: { mssql: "revision rowversion" },
  marks: [],
  values: () => [],
  read: { changed: { counter: "revision", kind: "rowversion" } },
};

const tracking: Shape = {
  name: "change tracking",
  columns: { mssql: "" },
  marks: [],
  values: () => [],
  read: { changed: { changeTracking: true } },
};

export const shapes: readonly Shape[] = [wall, instant, twoColumns, sequence, outbox, whole, rowversion, tracking];

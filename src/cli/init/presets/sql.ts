import { sampleSyncFile } from "../sample-sync-file.ts";
import { fileHead, type Preset } from "../preset.ts";

interface Dialect {
  readonly name: string;
  readonly title: string;
  readonly example: string;
  /** What to answer, where it is not the address of a server. */
  readonly about?: string;
  /** Comment lines about what this database offers beyond a stamp column. */
  readonly notes: readonly string[];
}

const dialects: readonly Dialect[] = [
  {
    name: "postgres",
    title: "an ERP on PostgreSQL",
    example: "postgres://svcsync:password@erp-db:5432/erp",
    notes: [
      "A transaction that is still open is waited for, however long it takes. `overlap` is for a program that takes its",
      "stamp before its transaction begins. A standby does not show open transactions: there it must be longer than",
      "the longest of them.",
    ],
  },
  {
    name: "mysql",
    title: "an ERP on MariaDB or MySQL",
    example: "mysql://svcsync:password@erp-db:3306/erp",
    notes: ["`overlap` must be longer than the longest transaction that writes these tables."],
  },
  {
    name: "mssql",
    title: "an ERP on SQL Server (Sage 100, proALPHA, NAV and others)",
    example: "mssql://svcsync:password@erp-db:1433/erp",
    notes: [
      "Better than a stamp, where a table has one: a rowversion column, which is exact, needs no clock and no overlap:",
      "  changed: { counter: row_version, kind: rowversion }",
      "Or Change Tracking, switched on for the table by its DBA, which tells deletions too:",
      "  changed: { changeTracking: true }",
      "Sage 100: customers are KHKKontokorrent joined with KHKAdressen, contacts KHKAnsprechpartner. Make a view of the",
      "join; without a stamp that moves with both tables leave `changed` out: the view is then read whole and compared.",
      "A certificate that is not from a public authority: tls: { mode: verify, caFile: /path/to/authority.pem }.",
    ],
  },
  {
    name: "sqlite",
    title: "an ERP on SQLite",
    example: "sqlite:/data/erp.sqlite",
    about: "Path of the database file, behind the word sqlite:",
    notes: ["The file is opened read-only; it must be on this machine, not on a network share."],
  },
];

const contract = `#
# The tables and columns below are those of the sample ERP. Put your own names in, or, better, make one view per stream with
# these names: then everything that is peculiar to your ERP is in one place, and the columns that each stream needs are
# exactly the ones named here. A view needs a key that is never empty and unique, and a stamp that moves with every change
# of every table it joins.
`;

/** The streams of the sample ERP, below the head and the source of the real one. */
function streamsOfSample(): string {
  return sampleSyncFile.slice(sampleSyncFile.indexOf("streams:\n"));
}

/** One preset per kind of database: they differ in the address and in what the database can tell of changes. */
export const sqlPresets: readonly Preset[] = dialects.map(({ name, title, example, about, notes }) => ({
  name,
  title,
  variables: [
    {
      name: "ERP_URL",
      about: about ?? "Address of the database, with a user that may only read",
      example,
      isDatabase: name !== "sqlite",
    },
  ],
  syncFile: `${fileHead(title)}${contract}${sourceText(notes)}${streamsOfSample()}`,
  ownHead: `${fileHead(title)}${sourceText(notes)}`,
}));

function sourceText(notes: readonly string[]): string {
  return `
sources:
  erp:
    adapter: sql
    url: "\${ERP_URL}"
    # The time zone of stamps without one.
    timezone: Europe/Berlin
${notes.map((note) => `    # ${note}\n`).join("")}
`;
}

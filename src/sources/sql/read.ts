import { z } from "zod";
import { duration } from "#model";

const column = z.string().min(1);
const key = z
  .union([column, z.array(column).min(1)])
  .transform((key) => (typeof key === "string" ? [key] : key))
  .describe("The column, or the list of columns, that names a record; never empty, unique together.");

const stampColumns = z.strictObject({
  date: column.describe("The column with the date of the last change."),
  time: column.describe("The column with its time of day."),
  timeFormat: z
    .enum(["auto", "hhmmss", "hhmm", "seconds"])
    .default("auto")
    .describe(
      "How a time of day is written as a whole number: 134500, 1345 or seconds since midnight. Default hhmmss.",
    ),
});

const counter = z.strictObject({
  counter: column.describe("A column whose value grows with every change in the table."),
  kind: z
    .enum(["rowversion", "sequence"])
    .describe("rowversion: SQL Server's own. sequence: a number drawn inside the transaction that makes the change."),
});

const changed = z
  .union([
    column,
    stampColumns,
    counter,
    z.strictObject({ changeTracking: z.literal(true).describe("SQL Server Change Tracking, enabled for the table.") }),
  ])
  .describe("What grows with each change: a stamp column, a date and a time column, a counter, or change tracking.");

const deletions = z
  .strictObject({
    table: column.describe("The table into which the ERP, or a trigger, writes the keys of deleted records."),
    key: key.describe("Its columns that hold the key, in the order of the stream's `key`."),
    changed: z
      .union([column, stampColumns, counter])
      .describe("Its stamp or counter: when, or in which order, records were deleted."),
  })
  .describe("A table of deleted keys. Without it deletions are found by a sweep over all keys.");

const outbox = z
  .strictObject({
    table: column.describe("The table into which triggers write the key of each record that changed."),
    key: key.describe("Its columns that hold the key, in the order of the stream's `key`."),
    sequence: column.describe("Its ever growing number, drawn inside the transaction that makes the change."),
  })
  .describe("A table of changes. The records are then read by key; a key without a record was deleted.");

/** A stream's `read` in the sync file. */
export const read = z
  .strictObject({
    table: column.optional().describe("The table, with its schema where it needs one: dbo.customers."),
    view: column.optional().describe("The view; the same as `table`."),
    query: z.string().min(1).optional().describe("A SELECT without ORDER BY, for what no table or view shows."),
    key,
    changed: changed.optional(),
    stampFormat: z
      .enum(["auto", "sql", "iso", "epochSeconds", "epochMillis", "compact"])
      .default("auto")
      .describe("How a stamp in a text or number column is written; auto decides by the 20 newest stamps."),
    overlap: duration
      .default(300_000)
      .describe(
        "How far each poll reads back: longer than any transaction of the ERP, and its clock's error. Default 5m.",
      ),
    where: z.string().min(1).optional().describe("A condition in the database's SQL that every row must meet."),
    columns: z
      .array(column)
      .min(1)
      .optional()
      .describe("The columns to read beside key and stamp. Without it: all of them."),
    pageSize: z.int().min(1).max(50_000).default(1_000).describe("Rows per statement. Default 1000."),
    deletions: deletions.optional(),
    outbox: outbox.optional(),
  })
  .check((context) => {
    const { table, view, query, changed, outbox, deletions } = context.value;
    const problem = (path: string, message: string) =>
      context.issues.push({ code: "custom", input: context.value, path: [path], message });
    if ([table, view, query].filter((one) => one !== undefined).length !== 1)
      problem("table", "name exactly one of table, view and query");
    const tracked = typeof changed === "object" && "changeTracking" in changed;
    if (tracked && table === undefined) problem("changed", "change tracking needs `table`");
    if (outbox && changed) problem("outbox", "an outbox tells what changed: leave `changed` out");
    if (deletions && (outbox || tracked))
      problem("deletions", "an outbox and change tracking tell deletions themselves: leave `deletions` out");
  });

export type SqlRead = z.output<typeof read>;
export type StampColumns = string | z.output<typeof stampColumns>;
export type CounterColumn = z.output<typeof counter>;

/** Returns the stamp columns of a stream's `changed`; undefined if it is of another kind. */
export function stampColumnsOf(changed: SqlRead["changed"]): StampColumns | undefined {
  return typeof changed === "string" || (changed && "date" in changed) ? changed : undefined;
}

export function counterOf(changed: SqlRead["changed"]): CounterColumn | undefined {
  return typeof changed === "object" && "counter" in changed ? changed : undefined;
}

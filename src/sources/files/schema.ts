import { z } from "zod";
import { duration } from "#model";
import { secret } from "../secret.ts";
import { timezone } from "../time/timezone.ts";

const folderName = z.string().regex(/^[\w.-]+$/, "expected the name of a folder, without a path");

export const filesSettings = z.strictObject({
  folder: z.string().min(1).describe("Folder that the ERP drops files into; with sftp, its path on that server"),
  sftp: z
    .strictObject({
      host: z.string().min(1).describe("Host name"),
      port: z.int().default(22).describe("Port"),
      username: z.string().min(1).describe("User name"),
      password: secret(z.string()).optional().describe("Password"),
      privateKey: secret(z.string()).optional().describe("Private key in PEM form"),
      hostKey: z
        .string()
        .regex(/^[A-Za-z0-9+/]{43}$/, "expected the SHA-256 fingerprint as ssh-keygen -l shows it, without SHA256:")
        .describe("SHA-256 fingerprint of the server's key, as `ssh-keygen -l` shows it behind SHA256:"),
    })
    .optional()
    .describe("The server, where the folder is not on this machine"),
  processing: folderName.default("processing").describe("Folder below, for the file that is being read"),
  done: folderName.default("done").describe("Folder below, for files that were read"),
  failed: folderName.default("failed").describe("Folder below, for files and lines that cannot be used"),
  timezone: timezone.default("UTC").describe("Zone of dates and times in the files"),
});
export type FilesSettings = z.infer<typeof filesSettings>;

const DATE_PATTERN =
  "expected YYYY, MM and DD once each, and HH, mm and ss at most once (MM is the month, mm the minute; DD and MM read one digit, too)";

function isDatePattern(pattern: string): boolean {
  const parts: readonly string[] = pattern.match(/YYYY|MM|DD|HH|mm|ss/g) ?? [];
  return ["YYYY", "MM", "DD"].every((part) => parts.includes(part)) && new Set(parts).size === parts.length;
}

export const filesRead = z.strictObject({
  files: z
    .string()
    .regex(/^[^/\\]+$/, "expected a file name, with * and ? as wildcards")
    .describe("Which files belong to the stream, e.g. customers_*.csv; read in the order of their names"),
  kind: z
    .enum(["full", "delta"])
    .describe("full: a file holds every record, so a missing one is gone; delta: changes alone"),
  format: z.enum(["csv", "ndjson", "json", "xml"]).describe("Format of the files"),
  key: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .transform((names) => (typeof names === "string" ? [names] : names))
    .describe("Column that names a record, or a list of columns"),
  ready: z
    .enum(["stable", "companion", "atOnce"])
    .default("stable")
    .describe(
      "When a file is complete: unchanged for `stableFor`, or a companion beside it, or as soon as it is there",
    ),
  stableFor: duration
    .default(30_000)
    .describe("How long size and time of a file must stay the same, over two polls at least"),
  companion: z.string().default(".done").describe("Ending of the companion file"),
  encoding: z
    .enum(["utf8", "cp1252", "latin1", "utf16le"])
    .default("utf8")
    .describe("Encoding; a byte order mark is dropped"),
  separator: z.string().min(1).default(";").describe("Between two columns of a CSV file"),
  quote: z
    .union([z.literal("none"), z.string().length(1)])
    .default('"')
    .describe("Around a column that holds a separator; none: the files quote nothing, so a quote is text"),
  strayQuotes: z
    .enum(["refuse", "text"])
    .default("refuse")
    .describe(
      "What a quote inside a column of a CSV file is: refuse: a fault of the file; text: a part of the column, which then holds no line break",
    ),
  columns: z.array(z.string()).optional().describe("Columns that must be there"),
  rows: z.string().default("").describe("Path of the records in JSON or XML, e.g. Customers.Customer"),
  repeated: z
    .enum(["park", "last"])
    .default("park")
    .describe(
      "What becomes of a key whose rows in one file differ: park: its record waits for a person; last: the last row counts, for a file that is a log of changes",
    ),
  numbers: z.array(z.string()).default([]).describe("Columns that hold numbers; they arrive as exact text"),
  decimal: z.enum([".", ","]).default(".").describe("Decimal sign of those numbers; the other one parts thousands"),
  dates: z
    .record(z.string(), z.string().refine(isDatePattern, DATE_PATTERN))
    .default({})
    .describe("Columns that hold dates, each with its pattern of YYYY MM DD HH mm ss, e.g. DD.MM.YYYY HH:mm"),
  shrink: z
    .number()
    .min(0)
    .max(100)
    .default(5)
    .describe("By how many percent a full file may be shorter than the one before and still tell what is gone"),
  size: z.int().min(1).max(10_000).default(500).describe("Rows per batch"),
});
export type FilesRead = z.infer<typeof filesRead>;

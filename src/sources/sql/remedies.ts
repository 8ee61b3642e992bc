import type { ErrorCode } from "#model";

const remedies: Readonly<Record<string, string>> = {
  E_SOURCE_UNREACHABLE: "Check host, port and firewall of `url`, and that the database is running; of SQLite the path.",
  E_SOURCE_TLS:
    "Check `tls`: `caFile` for an authority of your own, `serverName` for another name, `mode: off` for none.",
  E_SOURCE_LOGIN: "Check user and password in `url`.",
  E_SOURCE_DATABASE: "Check the database's or file's name in `url`.",
  E_SOURCE_FORBIDDEN: "Let the database's administrator grant SELECT to the user in `url`.",
  E_SOURCE_TABLE: "Correct the name under `read`, with its schema where it needs one.",
  E_SOURCE_COLUMN: "Correct the name under `read`; upper and lower case count.",
  E_SOURCE_BINARY: "List the columns to read in `columns`, without binary ones.",
  E_SOURCE_KEY_NULL: "Choose a key that is never NULL, or leave those rows out with `where`.",
  E_SOURCE_KEY_AMBIGUOUS: "Choose columns for `key` that are unique together.",
  E_SOURCE_STAMP: "Choose a column of stamps for `changed`, or say with `stampFormat` how they are written.",
  E_SOURCE_COUNTER: "Use `kind: sequence`, or a stamp column.",
  E_SOURCE_TRACKING: "Enable change tracking for database and table, and grant VIEW CHANGE TRACKING.",
  E_SOURCE_TIMEOUT: "Add an index on the stamp column, or raise `statementTimeout`.",
  E_SOURCE_BUSY: "Try again later.",
  E_SOURCE_QUERY: "Correct `query` or `where`; the database's own words say what is wrong.",
};

/** What a person does about an error of this adapter. */
export function remedyOf(code: ErrorCode): string {
  return remedies[code] ?? "See docs/errors/sources.md.";
}

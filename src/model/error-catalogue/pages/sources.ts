import { errorPage } from "../error-page.ts";

export const sourcesErrors = errorPage({
  title: "Errors of sources",
  intro:
    "Databases report these errors; the first six can come from every source. [APIs and files](sources-web.md) " +
    "have a separate page. An error of a source stops only the poll of one stream: its cursor stays where it was, " +
    "so nothing is lost, and all other streams continue.",
  entries: {
    E_SOURCE_UNREACHABLE: {
      meaning:
        "The ERP did not answer: no connection, an interrupted connection, a missing file, or a folder that cannot " +
        "be used. The poll is retried; it resumes after the last batch that was stored.",
      normal: "For minutes, during a restart of the ERP or the network.",
      remedy: "Check host, port, path and firewall of the source's `url`, and that the ERP is running.",
      more: "For an API with a private authority, check `caFile` too.",
      heals: true,
    },
    E_SOURCE_BUSY: {
      meaning:
        "The ERP is busy. An API answered 429 or 503, and all streams of the source wait as long as its " +
        "`Retry-After` says. If the 429 came in the middle of a poll, svcsync has already waited for some minutes. " +
        "A database had no connection left, or others held a lock for too long.",
      normal: "Occasionally, when other users work with the ERP at the same time.",
      remedy: "Nothing at first. If it lasts, set fewer `connections` or a longer poll interval.",
      heals: true,
    },
    E_SOURCE_OTHER: {
      meaning:
        "The stream's records come from another database, company, address or folder than the source leads to now. The same keys may mean " +
        "other records there, so nothing of the stream is read. What was read before is delivered.",
      normal:
        "After the ERP moved to another server or folder. Otherwise an address, a database, a company or a tenant in the settings is wrong.",
      remedy:
        "Correct the source's settings. If the source leads to the same data at another place, set SOURCE_FORMER to the id that the message " +
        "names, and restart; the setting may stay.",
      more:
        "svcsync compares what a database says about itself (PostgreSQL: the identifier of its cluster, its number and schema; MySQL and MariaDB: " +
        "server and database; SQL Server: its broker identifier; SQLite: the file), so another host name for the same database or another password is no " +
        "change. Web APIs have only their address, and a company that a header, a parameter, a condition or a path names; files have their folder " +
        "and host. `svcsync check` compares, too. Where nothing tells two sources apart, the guard of E_MASS_CHANGE is left.",
    },
    E_SOURCE_LOGIN: {
      meaning:
        "The ERP refused the credentials. So that the user is not locked out, only one stream of the source " +
        "retries, and the others wait for its result. It retries after two to four minutes, then after twice as " +
        "long each time, up to an hour. A lock-out (429) that follows is reported as its original cause. After a " +
        "restart, the first attempt is made at once.",
      normal:
        "When a token expired: Odoo's keys are valid for at most three months, Xentral's for 180 days by default. " +
        "A database's password changes only if someone changes it.",
      remedy:
        "Correct the user, password, token or key of the source, then restart svcsync. Credentials from a file " +
        "need no restart.",
      more:
        "If a variable comes from a file (`ERP_PASSWORD_FILE`), replace the file: the next attempt reads it. " +
        "Characters such as `@`, `:` and `/` in a password are written with percent signs in a `url`: `%40`, " +
        "`%3A`, `%2F`.",
    },
    E_SOURCE_FORBIDDEN: {
      meaning:
        "The credentials are correct, but the user may not read this data: an API answered 403, or a database has " +
        "not granted SELECT.",
      normal: "No.",
      remedy: "Grant the source's user the right to read the data that the message names.",
      more:
        "Xentral fixes a token's rights when it is created: create a new one. Grant a database user only SELECT, " +
        "on the tables that svcsync reads.",
    },
    E_SOURCE_STAMP: {
      meaning:
        "The column that `changed` names holds no stamps, or none in the format that `format` or `stampFormat` " +
        "says. A single row with an invalid stamp does not stop the stream: its record is parked " +
        "(E_ROW_UNREADABLE).",
      normal: "No.",
      remedy: "Choose a column of stamps for `changed`, or name their format (`stampFormat`, `format`).",
      more:
        "In SQL a `query` can turn a column into a stamp. An API's stamp without a zone is `local` and needs the " +
        "source's `timezone`.",
    },
    E_SOURCE_FILTER_IGNORED: {
      meaning:
        "The ERP returned a row outside the requested window, or one that `where` leaves out. Some systems ignore " +
        "an unknown filter and return all rows; others write stamps in another time zone than the one that is set. " +
        "Nothing of that answer was used.",
      normal: "No.",
      remedy:
        "Compare the row's stamp in the message with the ERP's. If it is off by whole hours, `timezone` is wrong; " +
        "if it lies in the minute that was asked for, set `precision: minute`; otherwise `changed` or the filter is spelt differently in this system.",
      more: "`svcsync check` tests the filter.",
    },
    E_SOURCE_FILTER_MISSES: {
      meaning:
        "The ERP has a row that svcsync read before, with the same change stamp, but leaves it out when asked for the rows from that " +
        "stamp on. It would leave out changes in the same way, so no further change is read until this is settled. Usually the filter " +
        "reads the time in another zone than the one in which it writes stamps, compares texts or whole minutes, or excludes its bound.",
      normal: "No.",
      remedy:
        "The message says from how much earlier the row is found. Whole hours: set the source's `timezone`. One unit: set " +
        "`fromExclusive: true`. A minute: set `precision: minute`. Otherwise `changed` and the filter name different fields. In a database " +
        "let the view compare the stamp that it shows.",
      more:
        "A row that was deleted or left the list is no such row: svcsync reads it by its key before it reports this. `svcsync check` asks " +
        "the same question. After the correction the next poll reads all changes that were left out.",
    },
    E_SOURCE_WAL: {
      meaning:
        "A SQLite file is in WAL mode, and svcsync may not write in its folder. SQLite keeps two files beside it, -wal and -shm, and needs to " +
        "write them even to read. Where the log is empty and the file small, svcsync reads it into memory and `svcsync check` says so.",
      normal: "No. Once, if the ERP was writing in that moment.",
      remedy:
        "Give the user in the message the right to write in the folder, and mount it without `:ro`. Or let the ERP hand out a copy " +
        "(`VACUUM INTO`), or set `PRAGMA journal_mode = delete` in the file.",
    },
    E_SOURCE_TIMEOUT: {
      meaning: "A statement took longer than the source's `statementTimeout` and was ended.",
      normal: "Once, at a first load of a large view.",
      remedy: "Add an index on the stamp column, lower `pageSize`, or raise `statementTimeout`.",
      more:
        "`svcsync check` names a missing index on the stamp. On SQL Server readers wait for writers unless " +
        "READ_COMMITTED_SNAPSHOT is on for the database.",
      heals: true,
    },
    E_SOURCE_TLS: {
      meaning:
        "The connection could not be encrypted as `tls` requires. The server offers no encryption; or its " +
        "certificate is not from a trusted authority, is for another name or has expired; or a file under `tls` " +
        "cannot be read.",
      normal: "After the server's certificate was renewed.",
      remedy:
        "Check `tls` or `caFile`: the server may use a private authority, another name, or an expired certificate.",
      more:
        "Set `caFile` for a private authority, or `serverName` if the certificate has another name. `mode: trust` " +
        "encrypts without verifying the certificate; `mode: off` disables encryption, for a network that you trust.",
    },
    E_SOURCE_DATABASE: {
      meaning:
        "The database that `url` names does not exist on this server, the file is not an SQLite database, or svcsync " +
        "does not know the scheme of the URL.",
      normal: "No.",
      remedy: "Correct the name of the database or the file in `url`.",
    },
    E_SOURCE_TABLE: {
      meaning: "The source has no table or view of this name. The message suggests the one that was probably meant.",
      normal: "After an update of the ERP, or if the table is in another schema.",
      remedy: "Correct the name under `read`. Add the schema if the table needs one.",
      more: "Example with a schema: `dbo.customers`.",
    },
    E_SOURCE_COLUMN: {
      meaning: "The table has no column of this name. The message suggests the one that was probably meant.",
      normal: "After an update of the ERP. The poll stops instead of sending records without that field.",
      remedy: "Correct the name in `key`, `changed` or `columns`; names are case-sensitive.",
    },
    E_SOURCE_BINARY: {
      meaning:
        "The table has a column with binary data, such as a picture, a document or a hash. The service has no " +
        "field for it, and it would slow down every poll. Columns of SQL Server's type sql_variant are not read either: " +
        "each row has a type of its own there.",
      normal: "When a table is read without `columns`.",
      remedy:
        "List the columns to read in `columns`, without those that the message names. In a view, CAST gives a sql_variant a type.",
    },
    E_SOURCE_KEY_NULL: {
      meaning:
        "More than 20 rows, and more than a tenth of the table, have NULL in a column of the key. Such rows have " +
        "no key under which svcsync could store them. svcsync leaves out a few such rows and lists them in " +
        "`svcsync status`. This many mean that `key` names the wrong column.",
      normal: "In views with an outer join.",
      remedy: "Choose a key that is never NULL, or leave those rows out with `where`.",
      more: "For example: `where: customer_no is not null`.",
    },
    E_SOURCE_KEY_AMBIGUOUS: {
      meaning: "Several rows have the same key, so svcsync cannot know which of them is the record.",
      normal: "In views whose join returns several rows for one record.",
      remedy: "Choose columns for `key` whose combination is unique, or leave out the unwanted rows with `where`.",
    },
    E_SOURCE_COUNTER: {
      meaning:
        "`changed` uses a row version or change tracking, which only SQL Server supports, or a counter whose column is text. Texts compare " +
        "by their first digit that differs, so rows after 9 would be missed.",
      normal: "No.",
      remedy:
        "Use `kind: sequence` for a number that the ERP assigns, or a stamp column. Cast a counter of text to a number in a view or a `query`.",
    },
    E_SOURCE_TRACKING: {
      meaning: "Change tracking is not enabled for this table, or the user may not see it.",
      normal: "After the table was created again.",
      remedy: "Enable change tracking for database and table, and grant VIEW CHANGE TRACKING.",
      more:
        "The administrator does so with `alter database … set change_tracking = on` and " +
        "`alter table … enable change_tracking`.",
    },
    E_SOURCE_QUERY: {
      meaning: "The database refused the statement. The message gives the database's reason.",
      normal: "No.",
      remedy: "Correct `query` or `where`, which are in the SQL of the database; the message quotes its error.",
    },
  },
});

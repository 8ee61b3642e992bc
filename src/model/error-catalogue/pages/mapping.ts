import { errorPage } from "../error-page.ts";

export const mappingErrors = errorPage({
  title: "Errors of the mapping",
  entries: {
    E_SYNC_FILE: {
      meaning:
        "The sync file cannot be used as it is. The message lists every problem at once in reading order, each as " +
        "`file:line:column path: what was found, what was expected`, often with the word that was probably meant. " +
        "A missing or unreadable file also has this code. Values of the environment are never shown. Nothing was " +
        "started.",
      normal:
        "After an edit of the sync file or of a variable that it names, yes. Otherwise no: the same file in the " +
        "same environment always gives the same result.",
      remedy: 'Correct what the message lists, then run "svcsync check"; docs/sync-file.md explains every keyword.',
      more:
        "Correct the problems in the listed order. Editors that read `config/sync.schema.json` show most problems " +
        "while you type. See [the sync file](../sync-file.md).",
    },
    E_TEST_FILE: {
      meaning:
        "A file of test cases for `svcsync test` cannot be used: it is missing, contains no case, or names a " +
        "stream, field or keyword that does not exist. The message lists every problem with its place, as for " +
        "E_SYNC_FILE. No case was run.",
      normal: "After an edit of that file, or when a stream or field that a case names was removed from the sync file.",
      remedy: 'Correct what the message lists, then run "svcsync test"; docs/commands.md explains every keyword.',
      more:
        "Correct the problems in the listed order. See [testing a mapping](../commands.md#testing-a-mapping). " +
        "Deliveries are not affected.",
    },
    E_MAPPING: {
      meaning:
        "One record does not fit the sync file: the row lacks a column that the file names, a value is not in its " +
        "`map`, an expression failed or ran too long, or a lookup or key is neither text nor number. The message " +
        "names stream, field and the kind of value that was found. It shows the value itself only if a `map` has " +
        "no line for it and it has at most 40 characters. The record is parked; all others continue.",
      normal:
        "For single records with unusual data, yes. If it happens to every record of a stream, the ERP's table or " +
        "the sync file has changed.",
      remedy:
        "Correct the row in the ERP, or the sync file (the name of a column, another line in `map`, a `default`) and " +
        "restart svcsync. The record is then retried automatically.",
      more:
        "`$exists(column)` in the expression allows a column to be missing. A changed sync file maps every record " +
        "again, parked ones included.",
    },
    E_EXPRESSION_PROCESS: {
      meaning:
        "svcsync could not start the process that evaluates expressions with patterns, ranges, or functions or " +
        "variables that they define. The message gives the system's reason. The record is retried with growing " +
        "pauses. Records without such expressions continue.",
      normal: "Only while the machine or the container lacks memory, or may not start another process.",
      remedy: "Give the machine or the container more memory, and room for two more processes (`pids_limit`).",
      heals: true,
    },
  },
});

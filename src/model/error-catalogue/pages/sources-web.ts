import { errorPage } from "../error-page.ts";

export const sourcesWebErrors = errorPage({
  title: "Errors of sources: APIs and files",
  intro:
    "The adapters `rest`, `odata`, `odoo` and `files` report these errors, in addition to those of [every " +
    "source](sources.md). An error of a source stops only the poll of one stream: its cursor stays where it was, " +
    "so nothing is lost, and all other streams continue.",
  entries: {
    E_SOURCE_ANSWER: {
      meaning:
        "The ERP answered, but not with JSON. Usually the answer is a login page, a maintenance page or an error " +
        "page of a proxy.",
      normal: "For minutes, during an update of the ERP.",
      remedy:
        "If it lasts, open the address from the message in a browser on the same machine, to see what answers " +
        "instead of the ERP.",
      heals: true,
    },
    E_SOURCE_CURSOR: {
      meaning:
        "The stored cursor was made by another adapter, or `changed` was added to the stream or removed since then.",
      normal: "After a change of what a stream reads.",
      remedy: '"svcsync reread {stream}" reads it from the beginning; unchanged records cost no request.',
    },
    E_SOURCE_ENCODING: {
      meaning:
        "An answer of the ERP contains bytes that are invalid in its declared encoding (UTF-8 by default), or it " +
        "declares an unknown encoding. Nothing of it was used: replacing such bytes would write wrong names into " +
        "the service.",
      normal: "No.",
      remedy:
        "Configure the ERP, or the proxy in front of it, to send the encoding that it declares. Or correct the " +
        "data in the ERP.",
      more: "Often a single old record contains bytes in another encoding: search for it in the ERP's database.",
    },
    E_SOURCE_FAILED: {
      meaning:
        "The ERP answered repeatedly with a server error (408, or 500 and above), or an SFTP server reported that " +
        "it could not execute the request.",
      normal: "For minutes, during an update of the ERP.",
      remedy: "If it lasts, check the ERP's log at the time of the failure.",
      more: "On an SFTP server, check the user's rights in the folder.",
      heals: true,
    },
    E_SOURCE_KEY: {
      meaning:
        "No row of an answer has all fields of the stream's `key`: it is missing or null everywhere. (A few rows " +
        "without a key are left out and named in a warning; while there are any, nothing is deleted.)",
      normal: "No.",
      remedy: "Correct `key`, or exclude such rows with a condition.",
    },
    E_SOURCE_KEYS_UNKNOWN: {
      meaning:
        "A sweep needs a list of all records, but the files do not provide one: delta files contain only changes, " +
        "or no full file was read yet. If the last one was refused, the message says why.",
      normal: "For streams of delta files, yes: they cannot be swept.",
      remedy: "Deliver full files (`kind: full`), or mark deletions in a column.",
    },
    E_SOURCE_FILE: {
      meaning:
        "A file cannot be read at all: wrong encoding, a missing column, an unclosed quote, or an incomplete " +
        "document. svcsync used nothing of it, and moved the whole file to the failed folder, together with a " +
        "report.",
      normal: "No.",
      remedy:
        "Read the report in the failed folder: it names file and line. Correct the file and deliver it again under its " +
        'name. If its rows are not needed: "svcsync files {stream} --settle NAME".',
      more:
        "The stream is shown as failing until a later file of that name was read, or until a person settles the file. " +
        "Later files are read meanwhile.",
    },
    E_SOURCE_FILE_LINE: {
      meaning:
        "One line of a file cannot be used: too few columns, an invalid date or number, no key. All other lines " +
        "were used. A report in the failed folder contains the line, its place and the reason.",
      normal: "No.",
      remedy:
        "Correct the line that the report in the failed folder names, and deliver it again in a delta file. Or " +
        "correct it in the ERP for the next full file. If a line has no key, the stream is shown as failing until a " +
        'later file of that name was read, or until "svcsync files {stream} --settle NAME".',
    },
    E_SOURCE_FILE_SHRUNK: {
      meaning:
        "The last full file has far fewer records than the one before. Its rows were used, but the missing ones " +
        "are not treated as deleted. Lines that cannot be used count as records here. If a full file has lines " +
        "with an unreadable key, svcsync also deletes nothing, and `svcsync status` names the first of these lines.",
      normal: "After a large clean-up in the ERP; otherwise it is a broken export.",
      remedy:
        "If the file is right, remove the word partial from its name in the done folder; otherwise deliver a complete " +
        "one.",
    },
    E_SOURCE_METADATA: {
      meaning:
        "The OData service's `$metadata` does not describe what a stream reads: no such entity set, no such property, " +
        "or no key.",
      normal: "No.",
      remedy: "Correct the name: the message lists the names that exist.",
    },
    E_SOURCE_MOVING: {
      meaning:
        "A list that is read by page number kept changing: each of eight readings in a row contained rows that the " +
        "earlier ones did not.",
      normal: "During many writes to the ERP, for example an import.",
      remedy: "Nothing. If it lasts, set `after` in the stream's `read`, so that pages continue after a key.",
      heals: true,
    },
    E_SOURCE_NOT_FOUND: {
      meaning: "There is nothing at the address (404).",
      normal: "No.",
      remedy: "Check `url` and the name under `read`.",
      more:
        "If the API answers 404 for an empty list, set `emptyOn404`. Even then, a 404 with a web page or plain " +
        "text is an error: it may come from a proxy while the ERP restarts.",
    },
    E_SOURCE_ORIGIN: {
      meaning:
        "The ERP sent a link or a redirect to another host, another port, or from https to http. svcsync sends " +
        "credentials only to the source's `url`, so it did not follow the link.",
      normal: "No.",
      remedy: "Set `url` to the intended address: credentials are sent nowhere else.",
      more:
        "The ERP may have moved. If it redirects from `http` to `https`, write `https`. If a reverse proxy is in " +
        "front of the ERP, let it rewrite the links in answers.",
    },
    E_SOURCE_PAGING: {
      meaning:
        "The ERP returned the same page again when asked for the next one. Or it returned a hundred pages in a row that " +
        "it had returned before, or that were empty and had a link to the next.",
      normal: "No.",
      remedy: "Check `paging` and `after` against the API's documentation: a parameter is misspelt.",
    },
    E_SOURCE_REQUEST: {
      meaning:
        "The ERP refused the request (400 or another 4xx, or an error inside a 200). The message contains its " +
        "error text.",
      normal: "No.",
      remedy: "Correct the name of the field or the table: it does not exist in this system.",
    },
    E_SOURCE_ROWS: {
      meaning: "The answer has no list of records where one was expected, or an empty one beside an error.",
      normal: "No.",
      remedy:
        "If the message quotes an error, settle that in the ERP. Otherwise correct `rows`; the message names the members that the answer has.",
    },
    E_SOURCE_SETTINGS: {
      meaning:
        "A stream's `read` does not fit its source: a `table` without a `preset`, a condition in the wrong form, " +
        "or a setting that the product needs is missing.",
      normal: "No.",
      remedy: "Correct the sync file as the message says.",
    },
    E_SOURCE_TOO_LARGE: {
      meaning:
        "An answer of the ERP is larger than the source's `answerLimitMb`, counted after unpacking. svcsync " +
        "stopped reading it.",
      normal: "For records with long texts or pictures, if a page contains many of them.",
      remedy: "Read smaller pages (`size`) or fewer fields, or raise `answerLimitMb`.",
      more: "Raise it only if about five times as much memory is available.",
    },
    E_SOURCE_UNSORTED: {
      meaning:
        "The ERP returned rows in a different order from the requested one, or it compares keys in a different order " +
        "from the one in which it sorts them. If svcsync continued after the last row, it would skip others.",
      normal: "No.",
      remedy: "Check the parameter that sorts by `changed`, or by key. If the API has none that works, remove it.",
      more:
        "svcsync then always reads each window to its end. If pages continue after a key (`after`), the list must " +
        "be sorted by this key (`orderByKey`).",
    },
    E_SOURCE_FILE_BUSY: {
      meaning: "A sweep started while a file of the stream was waiting or being read.",
      normal: "Yes, until the file has been read.",
      remedy:
        'Nothing: the next poll repeats the sweep (with cron, the next "svcsync sync"). If the file keeps waiting, ' +
        "check what `ready` requires.",
      heals: true,
    },
  },
});

import { errorPage } from "../error-page.ts";

export const sourcesWebErrors = errorPage({
  title: "Errors of sources: APIs and files",
  intro:
    "These come from the adapters `rest`, `odata`, `odoo` and `files`, beside those that [every " +
    "source](sources.md) has. An error of a source stops that stream's poll and nothing else; the cursor stays " +
    "where it was, so nothing is lost.",
  entries: {
    E_SOURCE_ANSWER: {
      meaning:
        "The ERP answered, but not with JSON: mostly a login page, a maintenance page or an error page of a proxy in " +
        "between.",
      normal: "For minutes, during an update of the ERP.",
      remedy:
        "If it stays, open the address of the message in a browser on the same machine: something else answers in the " +
        "ERP's place.",
      heals: true,
    },
    E_SOURCE_CURSOR: {
      meaning: "The stored cursor was made by another adapter, or the stream got or lost its `changed` since.",
      normal: "After changing what a stream reads.",
      remedy: '"svcsync reread {stream}" reads it from the beginning; unchanged records cost no request.',
    },
    E_SOURCE_ENCODING: {
      meaning:
        "An answer of the ERP holds bytes that are not text in the encoding that it declares (UTF-8 where it declares " +
        "none), or declares an encoding that is not known. Nothing of it was used: replacing such bytes would write " +
        "wrong names into the service.",
      normal: "No.",
      remedy:
        "Make the ERP, or the proxy in front of it, send the encoding that it declares, or correct the ERP's data.",
      more: "Mostly one old record holds bytes of another encoding: the ERP's database can find it.",
    },
    E_SOURCE_FAILED: {
      meaning:
        "The ERP answered with a status of its own failure (408, 500 and above), again after three tries; or an SFTP " +
        "server answered that it cannot do what was asked.",
      normal: "For minutes, during an update of the ERP.",
      remedy: "If it stays, look into the ERP's own log at the time of the failure.",
      more: "On an SFTP server, look at the user's rights in the folder.",
      heals: true,
    },
    E_SOURCE_KEY: {
      meaning:
        "No row of an answer has all fields of the stream's `key`: it is missing or null everywhere. (A few rows " +
        "without a key are left out and named in a warning; while there are any, nothing is deleted.)",
      normal: "No.",
      remedy: "Correct `key`, or leave such rows out by a condition.",
    },
    E_SOURCE_KEYS_UNKNOWN: {
      meaning:
        "A sweep asked which records exist, but the files cannot tell: delta files hold only changes, or no full file " +
        "was read yet.",
      normal: "For streams of delta files, yes: they cannot be swept.",
      remedy: "Deliver full files (`kind: full`), or mark deletions by a column.",
    },
    E_SOURCE_FILE: {
      meaning:
        "A file cannot be read at all: wrong encoding, a missing column, a quote that is never closed, a document that " +
        "is cut off. It was moved to the failed folder whole, with a report beside it; nothing of it was used.",
      normal: "No.",
      remedy: "Read the report in the failed folder: it names file and line. Correct the file and drop it again.",
    },
    E_SOURCE_FILE_LINE: {
      meaning:
        "One line of a file cannot be used: too few columns, an invalid date or number, no key. All other lines were " +
        "used. The line is kept, with its place and its reason, in a report in the failed folder.",
      normal: "No.",
      remedy:
        "Correct the line that the report in the failed folder names, and drop it again in a delta file; or correct it " +
        "in the ERP for the next full file.",
    },
    E_SOURCE_FILE_SHRUNK: {
      meaning:
        "The last full file has far fewer records than the one before. Its rows were used, but the missing ones are " +
        "not treated as deleted. Lines that cannot be used count as records here; a full file with lines whose key " +
        "cannot be read deletes nothing either, and `svcsync status` names the first of them.",
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
      remedy: "Correct the name: the message lists what there is.",
    },
    E_SOURCE_MOVING: {
      meaning:
        "A list that is read by page number did not settle: each of eight readings in a row showed rows that the ones " +
        "before had not.",
      normal: "When the ERP is written to heavily, an import for example.",
      remedy: "Nothing. If it stays, give the stream an `after` parameter, so that pages go by key.",
      heals: true,
    },
    E_SOURCE_NOT_FOUND: {
      meaning: "There is nothing at the address (404).",
      normal: "No.",
      remedy: "Check `url` and the name under `read`.",
      more:
        "Where the API says 404 for an empty list, set `emptyOn404`. Even then a 404 with a web page or plain text is an error: a " +
        "proxy answers so while the ERP behind it restarts.",
    },
    E_SOURCE_ORIGIN: {
      meaning:
        "The ERP sent a link or a redirect to another host, another port, or from https to http. Credentials are sent " +
        "to the source's own `url` alone, so it was not followed.",
      normal: "No.",
      remedy: "Set `url` to the intended address: credentials are sent nowhere else.",
      more:
        "The ERP may have moved; where it redirects from `http` to `https`, write `https`. If a reverse proxy is in " +
        "front of the ERP, let it rewrite the links in answers.",
    },
    E_SOURCE_PAGING: {
      meaning:
        "The ERP gave the same page twice although the next one was asked for, or a hundred pages in a row that it had " +
        "given before, or that have no row and name a next one.",
      normal: "No.",
      remedy: "Check `paging` and `after` against the API's documentation: a parameter is misspelt.",
    },
    E_SOURCE_REQUEST: {
      meaning:
        "The ERP refused the request (400 or another 4xx, or an error inside a 200). Its own words are in the message.",
      normal: "No.",
      remedy: "Correct the name of the field or the table: it does not exist in this system.",
    },
    E_SOURCE_ROWS: {
      meaning: "The answer has no list of records where one was expected.",
      normal: "No.",
      remedy: "Correct `rows`; the message names the members that the answer has.",
    },
    E_SOURCE_SETTINGS: {
      meaning:
        "A stream's `read` does not fit its source: a `table` without a `preset`, a condition in the wrong form, a " +
        "setting that the product needs.",
      normal: "No.",
      remedy: "Correct the sync file as the message says.",
    },
    E_SOURCE_TOO_LARGE: {
      meaning:
        "An answer of the ERP is larger than the source's `answerLimitMb`, counted after unpacking. It was not read to " +
        "its end.",
      normal: "For records with long texts or pictures, when a page holds many of them.",
      remedy: "Ask for smaller pages (`size`) or fewer fields, or raise `answerLimitMb`.",
      more: "Raise it only if there is memory for some five times as much.",
    },
    E_SOURCE_UNSORTED: {
      meaning:
        "The ERP gave rows in another order than the one that was asked for, or compares keys in another order than it " +
        "sorts them. Continuing after the last of them would skip rows.",
      normal: "No.",
      remedy: "Check the parameter that sorts by `changed`, or by key; without one that works, leave it out.",
      more: "Windows are then read whole. Where pages continue after a key (`after`), the list must be sorted by it (`orderByKey`).",
    },
    E_SOURCE_FILE_BUSY: {
      meaning: "A sweep asked which records exist while a file of the stream was waiting or being read.",
      normal: "Yes, for as long as a file is on its way.",
      remedy:
        'Nothing: the next poll repeats the sweep (with cron, the next "svcsync sync"). ' +
        "If the file keeps waiting, see what `ready` expects.",
      heals: true,
    },
  },
});

import type { ErrorCode } from "#model";

interface RemedyText {
  /** `{record}`, `{stream}` and `{code}` are filled in, quoted for a shell. Commands are in double quotes. */
  readonly text: string;
  /** It is retried until it succeeds, without anyone's help. */
  readonly heals: boolean;
}

const person = (text: string): RemedyText => ({ text, heals: false });
const itself = (text: string): RemedyText => ({ text, heals: true });

const dialect = '"svcsync check --service" names the DIALECT settings that differ.';
const report = 'Report it with the log line and the output of "svcsync explain {record}".';

/**
 * What to do about each error code: the one place that commands, pages and `check` take it from. The pages under docs/errors
 * explain the codes at length.
 */
export const remedyTexts: Readonly<Record<ErrorCode, RemedyText>> = {
  // ── records ─────────────────────────────────────────────────────────────────────────────────────────────────────
  E_MAPPING: person(
    "Correct the row in the ERP, or widen the mapping in the sync file: another line in `map`, a `default`. Either is tried at once.",
  ),
  E_ROW_UNREADABLE: person("Correct the row in the ERP; the next poll reads it again."),
  E_PARENT_MISSING: itself(
    'Nothing while its parent is on its way. If the parent never comes: write `optional: true` at the ref in the sync file, or "svcsync skip {record}".',
  ),
  E_PARENT_UNKNOWN: person("Map the field that the message names by `ref` or by a lookup."),
  E_DELETION_COUNTED: itself("Nothing: the deletions that came with it are counted first."),
  E_DELETION_HELD: person(
    'See what is to be deleted with "svcsync deletions {stream}". If they are intended, add --confirm; otherwise correct the ERP.',
  ),
  E_CHILDREN_FIRST: itself(
    "Nothing while the deletions of its children are on their way. If they stay in the ERP, delete them there, or let the stream set a field instead.",
  ),
  E_ATTEMPTS_EXHAUSTED: person('Remove the cause that the message ends with, then "svcsync retry {record}".'),
  E_CREATE_UNSETTLED: itself("Nothing: svcsync asks the service what became of the create."),
  E_UPDATE_UNSETTLED: itself("Nothing: the fields are sent once more."),
  E_CREATE_UNCERTAIN: person(
    'Look for the record in the service. Found: "svcsync resolve {record} --bind ID". Not there: "svcsync resolve {record} --create". Not wanted: "svcsync skip {record}".',
  ),
  E_CREATE_UNKNOWN: itself(
    "Nothing: svcsync looks for the new record by the stream's `match`, and does not create it again.",
  ),
  E_MATCH_AMBIGUOUS: person(
    'Choose one of the candidates with "svcsync resolve {record} --bind ID", or merge them in the service and then "svcsync retry {record}".',
  ),
  E_MATCH_TAKEN: person(
    'Merge the two in the ERP, or allow such records by `shared: true` at the match rule. Create this one: "svcsync resolve {record} --create". Leave it out: "svcsync skip {record}".',
  ),
  E_STORE_RESTORED: person(
    'Nothing has been delivered since then. "svcsync status" names the streams that have unknown records, "svcsync adopt STREAM" shows them.',
  ),
  E_LIST_INCOMPLETE: itself("Check whether the token's user still sees all records of the resource in the service."),
  E_ALREADY_BOUND: person(
    'Two rows of the ERP are the same record in the service: merge them in the ERP, or leave this one out with "svcsync skip {record}". If the other row is bound to it by mistake, use "svcsync unbind".',
  ),
  E_UNBOUND: person(
    'Bind it to an existing record: "svcsync resolve {record} --bind ID". Create it: "svcsync resolve {record} --create". Leave it out: "svcsync skip {record}".',
  ),
  E_RESOURCE_CHANGED: person(
    "Put the stream's former `resource` back into the sync file, and give the new one a stream of its own.",
  ),
  E_SERVICE_REFUSED: person(
    'Correct the value that the message names, in the ERP or by the mapping: either is tried at once. If a permission or a licence is missing, grant it, then "svcsync retry {record}".',
  ),
  E_RECORD_GONE: person(
    'It was deleted in the service. Create it again: "svcsync resolve {record} --create". Leave it deleted: "svcsync skip {record}". `gone: recreate` decides for the whole stream.',
  ),
  E_PARENT_CHANGED: person(
    'Delete it in the service, then "svcsync retry {record}" creates it below its new parent; or move it back in the ERP. `moved: recreate` does so for the whole stream.',
  ),
  E_LOOKUP_UNKNOWN: person(
    'Correct the name in the sync file or its `map`, or create it in the service and then "svcsync retry {record}".',
  ),
  E_LOOKUP_AMBIGUOUS: person(
    'Rename or deactivate one of them in the service, or look up by a unique field; then "svcsync retry {record}".',
  ),
  E_FIELD_UNKNOWN: person("Correct the field's name in the sync file; the service would drop it silently."),
  E_FIELD_TYPE: person(
    'Convert the value in the sync file with `expr`, such as $string(column) or $number(column); "svcsync peek {stream}" shows what rows are mapped to.',
  ),
  E_CUSTOM_FIELD: person("Write `customFields.` with the id or the name of the custom field."),
  E_RECORD_UNKNOWN: person('Compare the key with those that "svcsync records" lists.'),
  E_WATCH_REFUSED: person("Give a shorter time, or wait until another watch is over."),
  E_FORGOTTEN: itself("Nothing. It is delivered again when the ERP shows it again."),
  E_FORGET_UNFINISHED: person(
    'Free disk space for another copy of the store, or wait until less is written to it. Then "svcsync forget {record}" again.',
  ),
  E_NOT_FORGETTABLE: person(
    'Let it be delivered, or settle it as "svcsync explain {record}" says. "svcsync skip {record}" leaves out what cannot be delivered. Then forget it.',
  ),
  E_NOT_RESOLVABLE: person('Look at it with "svcsync explain {record}": there may be nothing left to do.'),
  E_SKIPPED: itself('Nothing. To have it looked at again: "svcsync retry {record}".'),
  E_CLAIM_LOST: itself("Nothing: another worker handles it."),
  E_STORE_STATE: person(`${report} Then "svcsync retry {record}".`),
  E_STORE_VALUE: person(report),
  E_INTERNAL: person(report),

  // ── streams ─────────────────────────────────────────────────────────────────────────────────────────────────────
  E_CHANGE_GUARD: person(
    '"svcsync plan {stream}" shows what the changed mapping would write, and the command that confirms it. Or correct the sync file and restart.',
  ),
  E_PLAN_OUTDATED: person('Look at "svcsync plan" again, then confirm the id that it shows.'),
  E_ADOPTION_NEEDED: person('"svcsync adopt {stream}" shows what matches; with --confirm the stream delivers.'),
  E_MATCH_DROPPED: person('Correct the match field in the sync file, then "svcsync adopt {stream} --confirm".'),
  E_SWEEP_EMPTY: person(
    'Look at the source: a dropped view, a wrong `where`, missing rights. "svcsync peek {stream}" shows its rows. If it was emptied on purpose: "svcsync deletions {stream} --confirm".',
  ),
  E_SWEEP_LOST: itself("Nothing: the next sweep starts over."),
  E_POLL_OVERDUE: itself("Look at the queue: it hands out no polls."),
  E_SOURCE_UNREACHABLE: itself(
    "Check host, port, path and firewall of the source's `url`, and that the ERP is running.",
  ),
  E_SOURCE_UNREADABLE: person("Read the message: too many rows cannot be read. Correct the table, the view or `read`."),
  E_SOURCE_BUSY: itself("Nothing for a while. If it stays: fewer `connections`, or a longer poll interval."),
  E_SOURCE_FAILED: itself("Look into the ERP's own log at the time of the failure."),
  E_SOURCE_TIMEOUT: itself("Add an index on the stamp column, lower `pageSize`, or raise `statementTimeout`."),
  E_SOURCE_MOVING: itself("Nothing. If it stays, give the stream an `after` parameter."),
  E_SOURCE_FILE_BUSY: itself("Nothing: the sweep is repeated."),
  E_SOURCE_ANSWER: itself(
    "If it stays, open the address of the message in a browser: something else answers in the ERP's place.",
  ),
  E_SOURCE_LOGIN: person(
    "Correct the user, password, token or key of the source, then start again; what comes from a file needs no restart.",
  ),
  E_SOURCE_FORBIDDEN: person("Grant the source's user the right to read this."),
  E_SOURCE_TLS: person("Check `tls` or `caFile`: an authority of your own, another name, or an expired certificate."),
  E_SOURCE_DATABASE: person("Correct the name of the database or the file in `url`."),
  E_SOURCE_TABLE: person("Correct the name under `read`, with its schema where it needs one."),
  E_SOURCE_COLUMN: person("Correct the name under `read`; upper and lower case count."),
  E_SOURCE_BINARY: person("List the columns to read in `columns`, without binary ones."),
  E_SOURCE_KEY: person("Correct `key`, or leave such rows out by a condition."),
  E_SOURCE_KEY_NULL: person("Choose a key that is never NULL, or leave those rows out with `where`."),
  E_SOURCE_KEY_AMBIGUOUS: person("Choose columns for `key` that are unique together."),
  E_SOURCE_KEYS_UNKNOWN: person("Deliver full files (`kind: full`), or mark deletions by a column."),
  E_SOURCE_STAMP: person("Choose a column of stamps for `changed`, or name their format (`stampFormat`, `format`)."),
  E_SOURCE_FILTER_IGNORED: person(
    "Compare the row's stamp with the ERP's. If it is off by whole hours, `timezone` is wrong; otherwise `changed` is misspelt.",
  ),
  E_SOURCE_COUNTER: person("Use `kind: sequence`, or a stamp column."),
  E_SOURCE_TRACKING: person("Enable change tracking for database and table, and grant VIEW CHANGE TRACKING."),
  E_SOURCE_QUERY: person("Correct `query` or `where`; the message quotes the database's error."),
  E_SOURCE_CURSOR: person('"svcsync reread {stream}" reads it from the beginning; unchanged records cost no request.'),
  E_SOURCE_ENCODING: person("Make the ERP declare the encoding that it writes, or correct its data."),
  E_SOURCE_FILE: person("Read the report in the failed folder, correct the file and drop it again."),
  E_SOURCE_FILE_LINE: person("Correct the line that the report in the failed folder names, and drop it again."),
  E_SOURCE_FILE_SHRUNK: person(
    "If the file is right, remove the word partial from its name in the done folder; otherwise deliver a complete one.",
  ),
  E_SOURCE_METADATA: person("Correct the name: the message lists what there is."),
  E_SOURCE_NOT_FOUND: person("Check `url` and the name under `read`."),
  E_SOURCE_ORIGIN: person("Set `url` to the intended address: credentials are sent nowhere else."),
  E_SOURCE_PAGING: person("Check `paging` and `after` against the API's documentation: a parameter is misspelt."),
  E_SOURCE_REQUEST: person("Correct the name of the field or the table: it does not exist in this system."),
  E_SOURCE_ROWS: person("Correct `rows`; the message names the members that the answer has."),
  E_SOURCE_SETTINGS: person("Correct the sync file as the message says."),
  E_SOURCE_TOO_LARGE: person("Ask for smaller pages (`size`), or raise `answerLimitMb`."),
  E_SOURCE_UNSORTED: person("Check the parameter that sorts by `changed`; without one that works, leave it out."),

  E_PAUSE_TIME: person("Give a time in the future, at most 92 days away, or a duration."),

  // ── the service and connections ─────────────────────────────────────────────────────────────────────────────────
  E_SERVICE_LOGIN: person("Correct SERVICE_TOKEN, or SERVICE_USERNAME and SERVICE_PASSWORD, and start again."),
  E_SERVICE_UNAUTHORIZED: itself("Check whether another program logs in with the same SERVICE_TOKEN_NAME."),
  E_SERVICE_BUSY: itself("Nothing. If it stays, ask the provider of the service for a higher limit."),
  E_SERVICE_DOWN: itself("Nothing: svcsync probes it. If it lasts, look at the service."),
  E_SERVICE_DOUBTED: itself(
    "Nothing while something in front of the service restarts. If it stays, read one record with the same token: see DIALECT_RECORD_PATH and the user's permissions.",
  ),
  E_SERVICE_UNREACHABLE: itself("Check SERVICE_URL, the network and any proxy in between."),
  E_SERVICE_FAILED: itself(
    "Nothing. If it always happens with the same record, the record's data makes the service fail: read the message.",
  ),
  E_SERVICE_ANSWER: itself(dialect),
  E_RESOURCE_UNKNOWN: person(dialect),
  E_LIST_UNSTABLE: itself(dialect),
  E_HTTP_UNREACHABLE: itself("Check the address, the network and the proxy settings."),
  E_HTTP_TLS: itself(
    "Give the PEM file of a private authority (SERVICE_CA_FILE for the service), or renew the certificate.",
  ),
  E_HTTP_TIMEOUT: itself("Look at the other side's load, or raise the time-out that the message names."),
  E_HTTP_CUT: itself("Look for a device in between that cuts connections."),
  E_HTTP_TOO_LARGE: person(
    "Raise the limit (SERVICE_RESPONSE_LIMIT_BYTES for the service) if the answer may be so large.",
  ),
  E_HTTP_MALFORMED: itself("Open the address from the same machine and see what answers."),
  E_HTTP_ENCODING: person("Make the other side declare the encoding that it writes."),
  E_HTTP_ORIGIN: person("Set the address to the intended one: credentials are sent nowhere else."),
  E_HTTP_CA_FILE: person("Correct the path, the permissions or the file: it must hold a certificate in PEM form."),

  // ── the process ─────────────────────────────────────────────────────────────────────────────────────────────────
  E_SETTINGS: person('Correct what the message lists, then "svcsync check"; .env.example explains every key.'),
  E_SYNC_FILE: person('Correct what the message lists, then "svcsync check"; docs/sync-file.md explains every word.'),
  E_TEST_FILE: person('Correct what the message lists, then "svcsync test"; docs/commands.md explains every word.'),
  E_QUEUE_FAILED: person('Read the cause in the message; "svcsync check" looks at the queue alone.'),
  E_QUEUE_UNREACHABLE: itself("Check QUEUE_URL and that its server runs; without it svcsync starts a private one."),
  E_QUEUE_REFUSED: itself("Give the queue's server more memory, name the primary, or grant the user what it lacks."),
  E_QUEUE_DENIED: person("Correct QUEUE_URL; on PostgreSQL grant CREATE on the database."),
  E_QUEUE_VERSION: person("Upgrade the queue's server, or leave QUEUE_URL empty for a private one."),
  E_QUEUE_URL: person(
    "Write QUEUE_URL like redis://user:password@host:6379/0 or postgres://user:password@host/database.",
  ),
  E_REDIS_MISSING: person("Install Redis or Valkey as the message says, or set QUEUE_URL."),
  E_REDIS_FAILED: person("Check that DATA_DIR and the temporary folder can be written, and that memory is left."),
  E_STORE_BUSY: person("Stop the other daemon, or give this one a DATA_DIR (or STORE_SCHEMA) of its own."),
  E_STORE_FILE: person("Move it away, or set DATA_DIR to a folder that belongs to svcsync alone."),
  E_STORE_LOCK_FILE: person(
    "Make sure that no svcsync process uses this folder, delete svcsync.lock, and start again.",
  ),
  E_STORE_LOCKED: itself("If it stays, close other programs that have svcsync.db, or the tables in PostgreSQL, open."),
  E_STORE_FULL: person(
    "Free space or enlarge the volume of DATA_DIR, or of the database of STORE_URL, then start again.",
  ),
  E_STORE_READONLY: person(
    "Give the user that runs svcsync write access to DATA_DIR and all its files; in PostgreSQL, give the user of STORE_URL the schema, and name the primary, not a standby.",
  ),
  E_STORE_UNREACHABLE: itself("Check host, port and firewall of STORE_URL, and that PostgreSQL runs."),
  E_STORE_DENIED: person("Correct user, password, database or encryption (`?sslmode=`) in STORE_URL."),
  E_STORE_SERVER: person("Give the store a database in UTF8 on a newer PostgreSQL."),
  E_STORE_LOST: person("Nothing, if it was replaced on purpose. Otherwise find out why this machine stood still."),
  E_STORE_COPY: person("Back the database up by its own tools, for example pg_dump."),
  E_STORE_CORRUPT: person(
    'Stop svcsync and put the latest copy of "svcsync backup" in place; without one, "svcsync rebuild".',
  ),
  E_STORE_FAILED: person("Look at the disk and at the system's log."),
  E_STORE_NEWER: person("Run the newer version, or restore the copy that was made before it ran."),
  E_STORE_CLOSED: itself("Nothing: the record is due again at the next start."),
  E_NOTIFY_UNREACHABLE: itself(
    'Check SMTP_URL, NOTIFY_CHAT_URL or NOTIFY_WEBHOOK_URL, the firewall and the proxy, then "svcsync notify --test".',
  ),
  E_NOTIFY_LOGIN: person(
    'Correct what the channel logs in with, then "svcsync notify --test": SMTP_USERNAME and SMTP_PASSWORD (e-mail), NOTIFY_CHAT_URL (chat), NOTIFY_WEBHOOK_KEY or NOTIFY_WEBHOOK_URL (webhook).',
  ),
  E_NOTIFY_REFUSED: person(
    'Correct what the message names (a sender, a receiver, an address), then "svcsync notify --test".',
  ),
  E_GROUP_UNKNOWN: person('Use an id that "svcsync groups" lists; a group ends when none of its records is blocked.'),
  E_BACKUP_DAMAGED: person("Look at the disk of BACKUP_DIR: what was written there cannot be read again."),
  E_BACKUP_FOLDER: person("Mount the disk or create the folder of BACKUP_DIR, and let svcsync write to it."),
  E_BACKUP_SPACE: person("Free space in BACKUP_DIR, choose another folder, or lower BACKUP_KEEP."),
  E_HEALTH_PORT: person("Give HEALTH_PORT another number, or 0 for any free one."),
  E_NOT_READY: itself("Look at the part that the message names; nothing is lost meanwhile."),
};

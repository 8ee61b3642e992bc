import { errorPage } from "../error-page.ts";

export const storeErrors = errorPage({
  title: "Errors of the store",
  intro:
    "The store is the file `svcsync.db` in `DATA_DIR`, or with `STORE_URL` a schema in PostgreSQL. When it refuses " +
    "a step, nothing of that step was recorded, and nothing is sent to the service that could not be recorded " +
    "before.",
  entries: {
    E_STORE_BUSY: {
      meaning:
        "Another svcsync daemon holds the store; the message names its process and host where it is known. Two daemons " +
        "on one store would deliver every record twice.",
      normal:
        "For a moment, when a new container starts before the old one has ended. A command reports it when the store " +
        "comes from an older version that is still running.",
      remedy:
        "Stop the other daemon. After an upgrade, commands work again once the daemon of the old version has stopped. " +
        "A daemon for another service needs a DATA_DIR (or STORE_SCHEMA) of its own.",
      more:
        "There is no lock file to delete: the lock ends with the process that holds it, also after a kill or a power " +
        "cut. In PostgreSQL it ends eight seconds after the last sign of life, and the next daemon waits for that.",
    },
    E_STORE_LOCKED: {
      meaning:
        "Another process wrote to the store for more than ten seconds, so this step gave up. Nothing of it was " +
        "recorded; it is retried.",
      normal: "Rarely, while a command changes very many records at once.",
      remedy:
        "Nothing. If it stays, close other programs, such as a database browser, that have svcsync.db, or the tables " +
        "in PostgreSQL, open.",
      heals: true,
    },
    E_STORE_VALUE: {
      meaning:
        "A record came with a value that the store cannot keep, such as a service id that is not a positive whole " +
        "number. Nothing of the step was recorded. The record is parked; all others continue.",
      normal: "No.",
      remedy: 'Report it with the log line and the output of "svcsync explain {record}".',
      more: "The message names the value. First look at what the service answers for this record, then retry the record.",
    },
    E_STORE_FULL: {
      meaning:
        "The disk that holds `DATA_DIR`, or the database of `STORE_URL`, is full. The daemon stops, since a create " +
        "that is not written down first could happen twice.",
      normal: "No.",
      remedy: "Free space or enlarge the volume of DATA_DIR, or of the database of STORE_URL, then start again.",
      more: "Everything continues where it stopped. `AUDIT_KEEP_DAYS` bounds how much history is kept.",
    },
    E_STORE_READONLY: {
      meaning:
        "The store, or the directory that it is in, cannot be written to. A daemon whose PostgreSQL becomes a standby, " +
        "or is set to read only, waits: nothing is recorded or written to the service, and it continues when " +
        "PostgreSQL takes writes again, or when `STORE_URL` leads to one that does.",
      normal:
        "For a moment, while PostgreSQL fails over. Otherwise no. Usual causes: the volume is mounted read-only, belongs " +
        "to another user, has no inodes left, or the file system went read-only after a disk error. In PostgreSQL: `STORE_URL` leads to a " +
        "standby, `default_transaction_read_only` is on, or the user may not create the schema.",
      remedy:
        "Give the user that runs svcsync write access to DATA_DIR and all its files; in PostgreSQL, give the user of " +
        "STORE_URL the schema, and name the primary, not a standby.",
      more:
        "Repair the file system if need be, then start again. In PostgreSQL, let the user own the schema " +
        "(`GRANT CREATE ON DATABASE … TO …`). Some hosted databases read only while their disk is nearly full.",
    },
    E_STORE_UNREACHABLE: {
      meaning:
        "The PostgreSQL of `STORE_URL` does not answer, or a connection to it broke. A step that was under way is " +
        "either whole in the database or not there at all. Steps wait up to 20 seconds for a server that takes no " +
        "connections. The daemon continues when the server is back: records that were being delivered are delivered " +
        "again when their lease (`DELIVERY_LEASE_SECONDS`) ends, and a create that was begun is looked for first. " +
        "After six seconds without an answer nothing is written to the service, since another daemon may take over.",
      normal: "While PostgreSQL restarts.",
      remedy:
        "Nothing. If it stays, check host, port and firewall of STORE_URL, and that PostgreSQL runs and has " +
        "connections left.",
      more: "A daemon needs four, a command three.",
      heals: true,
    },
    E_STORE_DENIED: {
      meaning:
        "PostgreSQL refuses access: wrong user, password or database in `STORE_URL`, or an encryption that the server " +
        "does not have or whose certificate is not trusted. A daemon that is refused later on ends after six seconds, " +
        "so that its supervisor starts it with the new settings.",
      normal: "No.",
      remedy: "Correct user, password, database or encryption (`?sslmode=`) in STORE_URL.",
      more:
        "`?sslmode=verify-full` asks for encryption and a trusted certificate; `&sslrootcert=FILE` names your own " +
        "authority.",
    },
    E_STORE_SERVER: {
      meaning: "The database of `STORE_URL` is older than PostgreSQL 13, or its encoding is not UTF8.",
      normal: "No.",
      remedy: "Give the store a database in UTF8 on a newer PostgreSQL.",
      more: "Create it with `CREATE DATABASE svcsync ENCODING 'UTF8' TEMPLATE template0`.",
    },
    E_STORE_LOST: {
      meaning:
        "This daemon gave no sign of life to PostgreSQL for more than eight seconds, and others took over what it did; or " +
        "meanwhile another version of svcsync changed the store. This one can no longer write to the store, and ends.",
      normal: "After the machine was paused or cut off from PostgreSQL, or after `svcsync fence`.",
      remedy:
        "Nothing: the supervisor starts this daemon again, and it delivers with the others, or stands by where they do not " +
        "share a queue. If it happens again, find out why this machine hung or lost PostgreSQL.",
      more:
        "A daemon that has not heard from PostgreSQL for six seconds sends no write, so a takeover doubles nothing. " +
        "One case is left: a process that stops exactly between that check and its network connection, for longer than " +
        "eight seconds, sends one request late. [What becomes of it](../operations.md#what-cannot-be-promised).",
    },
    E_STORE_MOVED: {
      meaning:
        "`svcsync move` has moved this store to another place, which the message names. That one is in charge of the " +
        "records; this one is kept as it was, and nothing opens it.",
      normal: "After a move, where the settings still name the old store.",
      remedy:
        "Set STORE_URL, STORE_SCHEMA and DATA_DIR to the place that the message names. To go back, move the store back.",
      more:
        "See [moving](../guides/moving.md). If the new store is lost, restore its backup; the old store is as " +
        "it was at the move and does not know what was created since.",
    },
    E_STORE_INCOMPLETE: {
      meaning:
        "`svcsync move` was interrupted while it copied into this store. It may lack records, so nothing opens it. The " +
        "old store, which the message names, is in charge unless only the last step of the move is missing.",
      normal: "After a move that was killed or that failed.",
      remedy: 'Run "svcsync move" again with the settings of the old store: it continues where it stopped.',
      more:
        "To give the move up, start the daemon with the settings of the old store, and remove the new one (its " +
        "folder, or `DROP SCHEMA … CASCADE`). If the old store says [E_STORE_MOVED](#e_store_moved), do not remove anything: run the " +
        "move again.",
    },
    E_MOVE_REFUSED: {
      meaning:
        "`svcsync move` cannot move the store there. The target is not empty, or was left by an earlier move, or the " +
        "source knows no record, or both are of the same kind. Nothing was copied.",
      normal: "No.",
      remedy:
        "Correct --to, STORE_SCHEMA or DATA_DIR. A target that was left by an earlier move must be removed first.",
    },
    E_STORE_DIFFERS: {
      meaning:
        "After `svcsync move` had copied a table, what it read back from both stores was not the same. The old store " +
        "is in charge and unchanged; the copy is not used.",
      normal: "No. Usual causes: a failing disk, or another client that changes the tables.",
      remedy:
        'Run "svcsync move" again: it copies the table again. If it stays, report the message with "svcsync --version".',
    },
    E_STORE_COPY: {
      meaning:
        "`svcsync backup` was asked to copy a store in PostgreSQL. It copies the file of a store in SQLite only.",
      normal: "Yes, with `STORE_URL`.",
      remedy: "Back the database up by its own tools, for example `pg_dump --schema=svcsync`.",
      more: "See [the backup guide](../guides/backup.md#with-a-store-in-postgresql).",
    },
    E_STORE_FILE: {
      meaning:
        "A file of the store in `DATA_DIR` is not a regular file of svcsync: it is a link, a folder or a device. It " +
        "was not opened, and its rights were not changed.",
      normal: "No.",
      remedy: "Move it away, or set DATA_DIR to a folder that belongs to svcsync alone.",
      more: "To keep the store on another disk, link or mount the folder, not the files in it.",
    },
    E_STORE_LOCK_FILE: {
      meaning:
        "`svcsync.lock` in `DATA_DIR` does not contain a lock. The file holds no data, and the store itself is not " +
        "affected.",
      normal: "No.",
      remedy: "Make sure that no svcsync process uses this folder, delete svcsync.lock, and start again.",
    },
    E_STORE_CORRUPT: {
      meaning: "`svcsync.db` is damaged, or is not a store at all; or PostgreSQL says that its own files are damaged.",
      normal:
        "No. Usual causes: a failing disk, a copy of the file made with `cp` while svcsync ran, a network file system.",
      remedy:
        'Stop svcsync, keep the damaged file, and put the latest copy of "svcsync backup" in its place; without one, ' +
        '"svcsync rebuild".',
      more:
        "Delete `svcsync.db-wal` and `svcsync.db-shm` too. What happened since is polled again. `svcsync rebuild` " +
        "finds the bindings again by the streams' match rules.",
    },
    E_STORE_FAILED: {
      meaning:
        "The store could not be read or written for a reason that SQLite or PostgreSQL does not explain further; its " +
        "own words are in brackets. Also said when a step breaks a rule of the tables, which is a defect of svcsync.",
      normal: "No.",
      remedy:
        "Look at the disk and at the system's log. If neither shows a fault, report the message with " +
        '"svcsync --version".',
    },
    E_STORE_NEWER: {
      meaning:
        "A newer version of svcsync has written this store; this one would not understand it and has left it " +
        "untouched. With `STORE_URL` the message names the version that is needed.",
      normal: "After going back to an earlier version, or where not all replicas were replaced by the new one.",
      remedy: 'Run the newer version, or restore the copy that "svcsync backup" made before it ran.',
    },
    E_STORE_RESTORED: {
      meaning:
        "The store knows fewer creates than the queue: the files in `DATA_DIR` were put back to an earlier state (a " +
        "snapshot, a file copy, a write-ahead log that was cut). What was created since is in the service and unknown " +
        "to the store. So nothing is delivered for `SETTLE_LAG_SECONDS`; then svcsync reads what the service holds, " +
        "and holds each stream whose resource has unknown records.\n\n" +
        "The queue remembers the number as long as it keeps its data. A flushed queue proves nothing, and the private " +
        "server that runs without `QUEUE_URL` forgets it with each stop. Then only streams with " +
        "[`match`](../sync-file.md#match) are safe, because svcsync looks for each record before its first create, and " +
        "only if you wait for `SETTLE_LAG_SECONDS` before you start it.",
      normal: "After you restored a copy.",
      remedy:
        'Nothing has been delivered since then. "svcsync status" names the streams that have unknown records, ' +
        '"svcsync adopt STREAM" shows them.',
      more:
        "Confirm with `--confirm`. Then `svcsync reconcile --repair` writes again what the ERP changed and changed " +
        "back since the copy was made. For copies use `svcsync backup`: such a copy knows that it is one, whatever the " +
        "queue remembers.\n\n" +
        "What svcsync can no longer know: a record that it created and the ERP deleted since stays in the service " +
        "(`adopt` lists it as only in the service), and a tag that the ERP gave and took back since stays on its " +
        "record, because a person may have put it there.",
    },
    E_STORE_REWOUND: {
      meaning:
        "PostgreSQL has lost steps that it had confirmed: it failed over to a standby that lacked the last commits, or " +
        "was restored while svcsync ran. Each daemon knows how many steps were committed, and the store has fewer. A " +
        "daemon that knows of lost steps ends, and its next start continues with what the store has: what polls had read " +
        "is read again, and what was written is written again. If a create was lost, all daemons end, and the next start " +
        "treats the store as a restored one: nothing is delivered for `SETTLE_LAG_SECONDS`; then svcsync reads what the " +
        "service holds, and holds each stream whose resource has unknown records.",
      normal: "After a failover to an asynchronous standby.",
      remedy:
        'Let the supervisor start svcsync again. Then "svcsync status" names the streams that have unknown records, ' +
        '"svcsync adopt STREAM" shows them.',
      more:
        "Confirm with `--confirm`, then run `svcsync reconcile --repair`. Without a lost create there is nothing to confirm. " +
        "Synchronous replication loses no commits. [What is lost with a commit, and what is " +
        "not](../operations.md#a-failover-that-loses-commits).",
    },
    E_STORE_CLOSED: {
      meaning:
        "A step was asked for after the store had been closed, while the process was ending. Nothing of it was " +
        "recorded.",
      normal: "Yes, at the end of a stop that took longer than its grace time.",
      remedy: "Nothing: the record is due again at the next start.",
      heals: true,
    },
    E_STORE_STATE: {
      meaning:
        "A step that the state of the record does not allow, such as a second create while the first one is unsettled. " +
        "The step was refused and the record parked: a defect of svcsync that did no harm.",
      normal: "No.",
      remedy:
        'Report it with the log line and the output of "svcsync explain {record}". Then "svcsync retry {record}".',
    },
    E_CLAIM_LOST: {
      meaning:
        "A worker was slower than its lease, or was stopped, and the record has been given to another one. Its step " +
        "was refused.",
      normal:
        "Yes: after a stop, a paused machine or a very slow answer of the service. The other worker settles the " +
        "record, and looks in the service first if a create had been begun.",
      remedy:
        "Nothing: another worker handles it. If it stays, the service needs longer for one request than a lease lasts.",
      heals: true,
    },
    E_ALREADY_BOUND: {
      meaning:
        "The record in the service that this record should be bound to is already bound to another record of the ERP; " +
        "`boundTo` names it. One record in the service never represents two records of the ERP.",
      normal: "It happens when the ERP holds the same thing twice, or when two rows have the same match key.",
      remedy:
        "Two rows of the ERP are the same record in the service: find out which is right, and merge them in the ERP, " +
        'or leave this one out with "svcsync skip {record}". If the other row is bound to it by mistake, use ' +
        '"svcsync unbind".',
    },
    E_FORGOTTEN: {
      meaning:
        "Why the row of a record is empty: a person had its contents forgotten (`svcsync forget`). Shown at the " +
        "record, never thrown. Deliveries leave it out, also after a change of the mapping.",
      normal:
        "Yes. It ends when the ERP shows the row again: that is a change, which is delivered on the binding that was " +
        "kept.",
      remedy: "Nothing. It is delivered again when the ERP shows it again.",
      heals: true,
    },
    E_SKIPPED: {
      meaning:
        "Why a record is left out: the rules of its stream say so, or a person did. Shown at the record, never thrown.",
      normal: "Yes.",
      remedy: 'Nothing. To have it looked at again: "svcsync retry {record}".',
      more: "A change of the record or of the sync file does so too.",
      heals: true,
    },
    E_SWEEP_LOST: {
      meaning:
        "A sweep continued after it had been ended or another sweep of the same stream had begun. Its marks were " +
        "refused, and it confirms nothing.",
      normal: "After a restart, or when two sweeps of one stream were asked for.",
      remedy: "Nothing: the next sweep starts over.",
      heals: true,
    },
  },
});

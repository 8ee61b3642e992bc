import { errorPage } from "../error-page.ts";

export const storeErrors = errorPage({
  title: "Errors of the store",
  intro:
    "The store is the file `svcsync.db` in `DATA_DIR`, or with `STORE_URL` a schema in PostgreSQL. If the store " +
    "refuses a step, it records nothing of this step. svcsync sends nothing to the service that the store could " +
    "not record first.",
  entries: {
    E_STORE_BUSY: {
      meaning:
        "Another svcsync daemon holds the store; the message names its process and host if they are known. Two daemons on one store " +
        "would deliver every record twice.",
      normal:
        "For a moment, when a new container starts before the old one has ended. A command reports it when the store comes from an " +
        "older version that is still running.",
      remedy:
        "Stop the other daemon. After an upgrade, commands work again once the daemon of the old version has stopped. A daemon for " +
        "another service needs a separate DATA_DIR (or STORE_SCHEMA).",
      more:
        "There is no lock file to delete: the lock ends with the process that holds it, even after a kill or a power failure. In " +
        "PostgreSQL, it ends eight seconds after the last sign of life, and the next daemon waits until then.",
    },
    E_STORE_LOCKED: {
      meaning:
        "Another process wrote to the store for more than ten seconds, so this step gave up. Nothing of it was recorded; it is retried.",
      normal: "Rarely, while a command changes very many records at once.",
      remedy:
        "Nothing. If it lasts, close other programs that use svcsync.db or the tables in PostgreSQL, such as a database browser.",
      heals: true,
    },
    E_STORE_VALUE: {
      meaning:
        "A record came with a value that the store cannot keep, such as a service id that is not a positive whole number. Nothing of " +
        "the step was recorded. The record is parked; all others continue.",
      normal: "No.",
      remedy: 'Report it with the log line and the output of "svcsync explain {record}".',
      more: "The message names the value. Check the service's answer for this record, then retry the record.",
    },
    E_STORE_FULL: {
      meaning:
        "The disk that holds `DATA_DIR`, or the database of `STORE_URL`, is full. The daemon stops, because a create that it cannot " +
        "record first could happen twice.",
      normal: "No.",
      remedy: "Free space or enlarge the volume of DATA_DIR, or of the database of STORE_URL, then start again.",
      more: "Everything continues where it stopped. `AUDIT_KEEP_DAYS` limits the history in the store.",
    },
    E_STORE_READONLY: {
      meaning:
        "The store or its directory cannot be written to. If PostgreSQL becomes a standby or is set to read-only, the daemon waits: it " +
        "records nothing and writes nothing to the service. It continues when the PostgreSQL at `STORE_URL` accepts writes again.",
      normal:
        "For a moment, while PostgreSQL fails over. Otherwise no. Usual causes: the volume is mounted read-only, belongs to another " +
        "user, has no inodes left, or the file system went read-only after a disk error. In PostgreSQL: `STORE_URL` names a standby, " +
        "`default_transaction_read_only` is on, or the user may not create the schema.",
      remedy:
        "Give the user that runs svcsync write access to DATA_DIR and all its files; in PostgreSQL, give the user of STORE_URL the " +
        "schema, and name the primary, not a standby.",
      more:
        "If necessary, repair the file system; then start svcsync again. In PostgreSQL, let the user own the schema (`GRANT CREATE ON " +
        "DATABASE … TO …`). Some hosted databases become read-only while their disk is nearly full.",
    },
    E_STORE_UNREACHABLE: {
      meaning:
        "The PostgreSQL of `STORE_URL` does not answer, or a connection to it broke. A step that was under way is in the database " +
        "either completely or not at all. Steps wait up to 20 seconds for a server that accepts no connections. The daemon continues " +
        "when the server is back: records that were being delivered are delivered again when their lease (`DELIVERY_LEASE_SECONDS`) " +
        "ends, and if a create was in progress, svcsync first looks for its result. After six seconds without an answer, the daemon " +
        "writes nothing to the service, because another daemon may take over.",
      normal: "While PostgreSQL restarts.",
      remedy:
        "Nothing. If it lasts, check host, port and firewall of STORE_URL, and that PostgreSQL runs and has free connections.",
      more: "A daemon needs four connections, a command three.",
      heals: true,
    },
    E_STORE_DENIED: {
      meaning:
        "PostgreSQL refuses access. The user, password or database in `STORE_URL` is wrong; or the server does not support encryption, " +
        "or its certificate is not trusted. If PostgreSQL starts to refuse a running daemon, the daemon ends after six seconds, so " +
        "that its supervisor starts it with the new settings.",
      normal: "No.",
      remedy: "Correct user, password, database or encryption (`?sslmode=`) in STORE_URL.",
      more: "`?sslmode=verify-full` requires encryption and a trusted certificate; `&sslrootcert=FILE` names a private authority.",
    },
    E_STORE_SERVER: {
      meaning: "The database of `STORE_URL` is older than PostgreSQL 13, or its encoding is not UTF-8.",
      normal: "No.",
      remedy: "Use a database with the encoding UTF-8, on PostgreSQL 13 or newer.",
      more: "Create it with `CREATE DATABASE svcsync ENCODING 'UTF8' TEMPLATE template0`.",
    },
    E_STORE_LOST: {
      meaning:
        "This daemon gave no sign of life to PostgreSQL for more than eight seconds, and another daemon took over its work. Or another " +
        "version of svcsync changed the store in the meantime. This daemon can no longer write to the store, and ends.",
      normal: "After the machine was paused or lost its connection to PostgreSQL, or after `svcsync fence`.",
      remedy:
        "Nothing: the supervisor starts this daemon again. It delivers with the others, or stands by if they do not share a queue. If " +
        "it happens again, find out why this machine hung or lost PostgreSQL.",
      more:
        "A daemon that has not heard from PostgreSQL for six seconds sends no writes, so a takeover repeats none. One case is left: a " +
        "process is paused for more than eight seconds, exactly between this check and the sending of a request. It then sends this " +
        "request late. [What happens to a late write](../operations.md#what-cannot-be-promised).",
    },
    E_STORE_MOVED: {
      meaning:
        "`svcsync move` has moved this store to another place, which the message names. The new store is now the valid one. svcsync " +
        "keeps the old store unchanged, and no longer opens it.",
      normal: "After a move, if the settings still name the old store.",
      remedy:
        "Set STORE_URL, STORE_SCHEMA and DATA_DIR to the place that the message names. To go back, move the store back.",
      more:
        "See [moving](../guides/moving.md). If the new store is lost, restore its backup; the old store does not know the records that " +
        "were created after the move.",
    },
    E_STORE_INCOMPLETE: {
      meaning:
        "`svcsync move` was interrupted while it copied into this store. It may lack records, so svcsync does not open it. The old " +
        "store, which the message names, is still the valid one unless only the last step of the move is missing.",
      normal: "After a move that was killed or that failed.",
      remedy: 'Run "svcsync move" again with the settings of the old store: it continues where it stopped.',
      more:
        "To cancel the move, start the daemon with the settings of the old store, and remove the new one (its folder, or `DROP SCHEMA " +
        "… CASCADE`). If the old store reports [E_STORE_MOVED](#e_store_moved), remove nothing: run the move again.",
    },
    E_MOVE_REFUSED: {
      meaning:
        "`svcsync move` cannot move the store there. The target is not empty, or it is the old store of an earlier move. Or the source " +
        "has no records, or both stores are of the same kind. Nothing was copied.",
      normal: "No.",
      remedy:
        "Correct --to, STORE_SCHEMA or DATA_DIR. If the target is the old store of an earlier move, remove it first.",
    },
    E_STORE_DIFFERS: {
      meaning:
        "After `svcsync move` had copied a table, it read the table back from both stores, and the contents differed. The old store is " +
        "unchanged and still the valid one; svcsync does not use the copy.",
      normal: "No. Usual causes: a failing disk, or another client that changes the tables.",
      remedy:
        'Run "svcsync move" again: it copies the table again. If it happens again, report the message with "svcsync --version".',
    },
    E_STORE_COPY: {
      meaning:
        "`svcsync backup` was asked to copy a store in PostgreSQL. It copies the file of a store in SQLite only.",
      normal: "Yes, with `STORE_URL`.",
      remedy: "Back up the database with its own tools, for example `pg_dump --schema=svcsync`.",
      more: "See [the backup guide](../guides/backup.md#with-a-store-in-postgresql).",
    },
    E_STORE_FILE: {
      meaning:
        "A file of the store in `DATA_DIR` is not a regular file of svcsync: it is a link, a folder or a device. svcsync did not open " +
        "it or change its permissions.",
      normal: "No.",
      remedy: "Move it away, or set DATA_DIR to a folder that only svcsync uses.",
      more: "To keep the store on another disk, link or mount the folder, not the files in it.",
    },
    E_STORE_LOCK_FILE: {
      meaning:
        "`svcsync.lock` in `DATA_DIR` does not contain a lock. The file holds no data, and the store itself is not affected.",
      normal: "No.",
      remedy: "Make sure that no svcsync process uses this folder, delete svcsync.lock, and start again.",
    },
    E_STORE_CORRUPT: {
      meaning: "`svcsync.db` is damaged, or is not a store at all; or PostgreSQL reports that its files are damaged.",
      normal:
        "No. Usual causes: a failing disk, a copy of the file made with `cp` while svcsync ran, a network file system.",
      remedy:
        'Stop svcsync, keep the damaged file, and replace it with the latest copy of "svcsync backup". Without a copy, run "svcsync ' +
        'rebuild".',
      more:
        "Delete `svcsync.db-wal` and `svcsync.db-shm` too. Later changes are polled again. `svcsync rebuild` restores the bindings " +
        "with the streams' match rules.",
    },
    E_STORE_FAILED: {
      meaning:
        "The store could not be read or written for a reason that SQLite or PostgreSQL does not explain further; its error text is in " +
        "brackets. If a step violates a rule of the tables, svcsync also reports this error; that is a defect of svcsync.",
      normal: "No.",
      remedy:
        'Check the disk and the system\'s log. If neither shows a fault, report the message with "svcsync --version".',
    },
    E_STORE_NEWER: {
      meaning:
        "A newer version of svcsync has written this store. This version cannot read it, and did not change it. With `STORE_URL`, the " +
        "message names the version that is needed.",
      normal: "After a return to an earlier version, or if not all replicas were upgraded.",
      remedy: 'Run the newer version, or restore the copy that "svcsync backup" made before it ran.',
    },
    E_STORE_RESTORED: {
      meaning:
        "The store knows fewer creates, or fewer other writes, than the queue: the files in `DATA_DIR` were restored to an earlier state (from a snapshot, a " +
        "file copy or a truncated write-ahead log). Records that were created since then are in the service, but not in the store. So " +
        "svcsync delivers nothing for `SETTLE_LAG_SECONDS`. Then it reads which records the service holds, and puts each stream on " +
        "hold whose resource has unknown records. It compares the records that it knows with the service, as far as they were changed " +
        "there since the store's last write, and writes again what differs: the ERP may have gone back to the old value. Each " +
        "record's history shows what was replaced. If only updates or deletions are missing, no stream is put on hold.\n\n" +
        "The queue stores the numbers of creates and of other writes, as long as it keeps its data. A flushed " +
        "queue proves nothing, and the private server that runs without `QUEUE_URL` loses the number at each stop. Then only streams " +
        "with [`match`](../sync-file.md#match) are safe, because svcsync looks for each record before it creates it, and only if you " +
        "wait for `SETTLE_LAG_SECONDS` before you start svcsync.",
      normal: "After you restored a copy.",
      remedy:
        'svcsync has delivered nothing since it detected this. "svcsync status" names the streams that have unknown records; "svcsync ' +
        'adopt STREAM" shows these records.',
      more:
        "Confirm with `--confirm`. Make copies with `svcsync backup`: svcsync recognizes such a copy even if the queue has lost the number.\n\n" +
        "svcsync cannot detect two cases. A record that it created and the ERP then deleted stays in the service; `adopt` lists it as " +
        "only in the service. A tag that the ERP added and then removed stays on its record, because a person may have added it.",
    },
    E_STORE_REWOUND: {
      meaning:
        "PostgreSQL has lost steps that it had confirmed: it failed over to a standby that lacked the last commits, or was restored " +
        "while svcsync ran. Each daemon counts the committed steps, and the store has fewer. A daemon that knows of lost steps ends, " +
        "and after its next start continues with the data in the store: it polls the lost rows again and repeats the lost writes. If a " +
        "create was lost, all daemons end, and at the next start the store counts as restored: svcsync delivers nothing for " +
        "`SETTLE_LAG_SECONDS`. Then it reads which records the service holds, and puts each stream on hold whose resource has unknown " +
        "records.",
      normal: "After a failover to an asynchronous standby.",
      remedy:
        'Let the supervisor start svcsync again. Then "svcsync status" names the streams that have unknown records; "svcsync adopt ' +
        'STREAM" shows these records.',
      more:
        "Confirm with `--confirm`, then run `svcsync reconcile --repair`. If no create was lost, there is nothing to confirm. " +
        "Synchronous replication loses no commits. [What is lost with a commit, and what is " +
        "not](../operations.md#a-failover-that-loses-commits).",
    },
    E_STORE_CLOSED: {
      meaning:
        "A step was requested after the store had been closed, while the process was ending. Nothing of the step was recorded.",
      normal: "Yes, if a stop took longer than its grace period.",
      remedy: "Nothing: the record is due again at the next start.",
      heals: true,
    },
    E_STORE_STATE: {
      meaning:
        "The state of the record does not allow the requested step, such as a second create while the first one is unsettled. svcsync " +
        "refused the step and parked the record. This is a defect of svcsync, but it did no harm.",
      normal: "No.",
      remedy:
        'Report it with the log line and the output of "svcsync explain {record}". Then "svcsync retry {record}".',
    },
    E_CLAIM_LOST: {
      meaning:
        "A worker took longer than its lease, or was stopped, and another worker took over the record. The step of the first worker " +
        "was refused.",
      normal:
        "Yes: after a stop, a paused machine or a very slow answer of the service. The other worker delivers the record; if a create " +
        "was in progress, it first looks in the service.",
      remedy:
        "Nothing: another worker delivers the record. If it happens often, the service takes longer for one request than the lease " +
        "(`DELIVERY_LEASE_SECONDS`).",
      heals: true,
    },
    E_ALREADY_BOUND: {
      meaning:
        "This record should be bound to a record of the service that is already bound to another record of the ERP; `boundTo` names " +
        "it. One record in the service never represents two records of the ERP.",
      normal: "It happens if the ERP has the same thing twice, or if two rows have the same match key.",
      remedy:
        "Two rows of the ERP are the same record in the service. Find out which row is right. Then merge them in the ERP, or leave " +
        'this one out with "svcsync skip {record}". If the other row is bound by mistake, use "svcsync unbind".',
    },
    E_FORGOTTEN: {
      meaning:
        "The row of the record is empty because a person had its contents overwritten (`svcsync forget`). svcsync does not deliver the " +
        "record, even after a change of the mapping. The code is shown with the record; it is never thrown.",
      normal:
        "Yes. It ends when the ERP returns the row again: svcsync treats this as a change, and delivers it with the kept binding.",
      remedy: "Nothing. svcsync delivers the record again when the ERP returns it again.",
      heals: true,
    },
    E_SKIPPED: {
      meaning:
        "The record is left out, by a rule of its stream or by a person. The code is shown with the record; it is never thrown.",
      normal: "Yes.",
      remedy: 'Nothing. To have it checked again: "svcsync retry {record}".',
      more: "svcsync also checks it again after a change of the record or of the sync file.",
      heals: true,
    },
    E_CREATE_NEVER: {
      meaning:
        "The record is left out: its stream has `create: never`, and the service has no record with its natural key that is free. The code " +
        "is shown with the record; it is never thrown.",
      normal: "Yes.",
      remedy:
        'Nothing; svcsync delivers it once the service has it. If the service has it under another key: "svcsync resolve {record} --bind ID".',
      more:
        'svcsync looks for it when the record changes, at each start, and when the service shows something new. "svcsync records --state ' +
        'skipped --code E_CREATE_NEVER" lists all of them.',
      heals: true,
    },
    E_SWEEP_LOST: {
      meaning:
        "A sweep continued after it had ended, or after another sweep of the same stream had started. The store refused its marks, so " +
        "it confirms no deletion.",
      normal: "After a restart, or when two sweeps of one stream were started.",
      remedy: "Nothing: the next sweep starts over.",
      heals: true,
    },
  },
});

import { errorPage } from "../error-page.ts";

export const operatorErrors = errorPage({
  title: "Errors of user actions",
  entries: {
    E_GROUP_UNKNOWN: {
      meaning:
        "`svcsync groups`, `svcsync retry --group` or `svcsync skip --group` was given an id that no group has. A group " +
        "exists only while its cause blocks a record.",
      normal: "Yes, if its records have been delivered since then.",
      remedy: 'Use an id that "svcsync groups" lists; a group ends when none of its records is blocked.',
    },
    E_NOTE_OUTDATED: {
      meaning:
        "A person set a note, an owner or a snooze for a group, but another person had changed it since the page " +
        "was loaded. Nothing was changed.",
      normal: "Yes, when two people work on the same problem.",
      remedy: "Load the page again, and add your change to the current values.",
    },
    E_RECORD_UNKNOWN: {
      meaning: "The store has never seen a record of this stream and key.",
      normal: "After a typing error. The key is the one in the ERP, with the parts of a composite key joined by `|`.",
      remedy: 'Compare the key with those that "svcsync records" lists.',
    },
    E_NOT_RESOLVABLE: {
      meaning:
        "`svcsync resolve` was run for a record that is already settled (applied, left out or deleted) or is being " +
        "delivered, or was to create a record that the service already has, or one of a stream with `create: never`. " +
        "Or `svcsync unbind` was run for a record that is not bound or is being delivered. Or a person confirmed a number " +
        "of records or deletions that has changed since they looked; nothing was done.",
      normal: "Yes, if the state of the record has changed since you looked.",
      remedy: 'Run "svcsync explain {record}": perhaps there is nothing left to do.',
    },
    E_NOT_FORGETTABLE: {
      meaning:
        "`svcsync forget` cannot forget the record yet, because something of it is not finished: a change, its " +
        "deletion, a create in progress, or an update whose result is unknown. Nothing was overwritten.",
      normal: "Yes, shortly after a change in the ERP.",
      remedy:
        'Wait until "svcsync explain {record}" shows the record as applied or deleted, or follow its advice. If ' +
        'the record cannot be delivered, run "svcsync skip {record}". Then forget it.',
      more: "If the result of a create is unknown, settle it with `svcsync resolve`.",
    },
    E_FORGET_UNFINISHED: {
      meaning:
        "`svcsync forget` overwrote the contents of a record, but could not rewrite the store's files, which may " +
        "still contain the old bytes. The disk is too full for a second copy, or another process used the store " +
        "all the time; the message gives the reason. The old contents are no longer shown.",
      normal: "During a first load of a large store, yes.",
      remedy:
        'Free disk space for another copy of the store, or wait until fewer writes happen. Then run "svcsync ' +
        'forget {record}" again.',
      more:
        "The copy needs as much free space as the size of the store, in `DATA_DIR` and in the folder for temporary " +
        "files. You can repeat the command.",
    },
    E_PAUSE_TIME: {
      meaning:
        "A pause or a snooze was to end in the past, or more than 92 days from now. Nothing was paused or snoozed.",
      normal: "After a typing error in the time.",
      remedy: "Give a time in the future, at most 92 days away, or a duration.",
      more:
        "`--until 18:00` is the next 18:00 of this machine's clock; `--for` takes a duration such as `2h`. " +
        "`svcsync groups ID --snooze none` ends a snooze. To stop a stream for longer, remove it from the sync " +
        "file.",
    },
    E_PLAN_FILE: {
      meaning:
        "The file is not a whole plan of this svcsync: it is another kind of file, was cut, was changed after svcsync " +
        "wrote it, or has the format of another version. Nothing was written.",
      normal: "After an update of svcsync that changed the format, and where a file was not copied whole.",
      remedy:
        'Make the plan again with "svcsync plan --out FILE", with the same version of svcsync, and do not edit it.',
    },
    E_PLAN_HELD: {
      meaning:
        "A guard, a pause or the comparison with existing records holds records of the plan, and apply releases nothing " +
        "on its own. Nothing was written.",
      normal:
        "If a plan changes many records, deletes many, or is the first one of a stream that the service has records of.",
      remedy:
        "Carry out the command that the message names, which releases exactly what the plan shows; then apply it again.",
    },
    E_PLAN_STALE: {
      meaning:
        "The plan in the file is not what svcsync would do now: the sync file, the service, the data of the ERP, or " +
        "records have changed since. The message names what differs. Nothing was written.",
      normal: "If time passed between the plan and its application.",
      remedy:
        'Make the plan again with "svcsync plan --out FILE", look at it, and apply that. What changed only in the ' +
        'service is found by "svcsync reconcile".',
    },
    E_PLAN_UNREAD: {
      meaning:
        "The ERP could not be read, so apply cannot know whether its rows are still those that were planned. Nothing " +
        "was written.",
      normal: "While the ERP is down.",
      remedy: "Correct what the message names, then apply the plan again.",
    },
    E_RENAME_REFUSED: {
      meaning:
        "`svcsync rename-stream` cannot give the records of one stream to another name: the new name already has " +
        "records of its own, the store has no record under the old name, or the new stream writes another resource " +
        "than the one that the records are bound to. Nothing was changed.",
      normal: "If the renamed stream was polled before the records were moved, yes.",
      remedy:
        "Compare both names with the sync file. If the new name already has records, give the stream its old name " +
        "again in the sync file: its records continue, and those of the new name are delivered no more.",
      more: "See [renaming a stream](../commands.md#renaming-a-stream).",
    },
    E_WATCH_REFUSED: {
      meaning:
        "`svcsync watch`, or its button on a record's page, was given no time or more than a day, or 20 records " +
        "are already being watched. No new watch was started.",
      normal: "After a typing error, or when many records are watched.",
      remedy: "Give a time up to `1d`, or wait until another watch ends.",
      more: "A watch ends automatically; a new watch of the same record replaces the earlier one.",
    },
    E_STORE_UNPREPARED: {
      meaning:
        "`svcsync mcp` opens the store only to read. There is no store yet, or its tables are of an older version of svcsync.",
      normal: "Before the first run, and after an upgrade until svcsync was started.",
      remedy: 'Run "svcsync status" once, or start svcsync: both create the store, or bring it to this version.',
    },
  },
});

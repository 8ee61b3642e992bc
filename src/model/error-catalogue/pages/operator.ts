import { errorPage } from "../error-page.ts";

export const operatorErrors = errorPage({
  title: "Errors of user actions",
  entries: {
    E_GROUP_UNKNOWN: {
      meaning:
        "`svcsync groups` or `svcsync retry --group` was given an id that no group has. A group is there as long as a " +
        "record is held up by its cause.",
      normal: "Yes, when its records were delivered meanwhile.",
      remedy: 'Use an id that "svcsync groups" lists; a group ends when none of its records is blocked.',
    },
    E_NOTE_OUTDATED: {
      meaning:
        "A note, an owner or a snooze of a group was to be written down by a person who had not seen what another one " +
        "wrote down meanwhile. Nothing was changed.",
      normal: "Yes, when two people care for the same cause.",
      remedy: "Load the page again, and add yours to what is there now.",
    },
    E_RECORD_UNKNOWN: {
      meaning: "The store has never seen a record of this stream and key.",
      normal: "After a typing error: the key is the ERP's, with the parts of a composite key joined by `|`.",
      remedy: 'Compare the key with those that "svcsync records" lists.',
    },
    E_NOT_RESOLVABLE: {
      meaning:
        "`svcsync resolve` was asked to answer a record that is settled already (applied, left out or deleted) or " +
        "being delivered, or to create a record that the service has already; or `svcsync unbind` to end the binding " +
        "of a record that has none or is being delivered.",
      normal: "Yes, when the record moved on meanwhile.",
      remedy: 'Look at it with "svcsync explain {record}": there may be nothing left to do.',
    },
    E_NOT_FORGETTABLE: {
      meaning:
        "`svcsync forget` was asked to forget a record of which something is still to be delivered: a change, its " +
        "deletion, a create that was begun, or an update whose end is not known. Nothing was overwritten.",
      normal: "Yes, shortly after a change in the ERP.",
      remedy:
        'Wait until "svcsync explain {record}" shows it as applied or deleted, or settle it as that says. ' +
        '"svcsync skip {record}" leaves out what cannot be delivered. Then forget it.',
      more: "A create whose end is not known is answered with `svcsync resolve`.",
    },
    E_FORGET_UNFINISHED: {
      meaning:
        "`svcsync forget` overwrote the contents of a record, but could not rewrite the store's files, in which old " +
        "bytes may be left: the disk is too full for a second copy, or another process wrote to the store or read it " +
        "all the time. The message has the reason. The old contents are no longer shown.",
      normal: "During a first load of a large store, yes.",
      remedy:
        "Free disk space for another copy of the store, or wait until less is written to it. Then " +
        '"svcsync forget {record}" again.',
      more:
        "A copy needs as much space as the store takes, in `DATA_DIR` and in the folder for temporary files. The " +
        "command may be repeated.",
    },
    E_PAUSE_TIME: {
      meaning:
        "A pause or a snooze was to end in the past, or more than 92 days from now. Nothing was paused or snoozed.",
      normal: "A mistyped time.",
      remedy: "Give a time in the future, at most 92 days away, or a duration.",
      more:
        "`--until 18:00` is the next 18:00 of this machine's clock; `--for` takes a duration such as `2h`. " +
        "`svcsync groups ID --snooze none` ends a snooze. A stream that is to rest for longer is taken out of the sync " +
        "file.",
    },
    E_WATCH_REFUSED: {
      meaning:
        "`svcsync watch`, or its button on a record's page, was given no time, more than a day, or a twenty-first " +
        "record at once. Nothing is watched that was not watched before.",
      normal: "No; it is a mistake in what was typed.",
      remedy: "Give a time up to `1d`, or wait until another watch is over.",
      more: "Watches end at their time; a new watch of the same record replaces the earlier one.",
    },
  },
});

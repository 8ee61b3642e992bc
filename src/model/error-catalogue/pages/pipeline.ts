import { errorPage } from "../error-page.ts";

export const pipelineErrors = errorPage({
  title: "Errors of the pipeline",
  entries: {
    E_PARENT_MISSING: {
      meaning:
        "The record refers to another one that the service does not have yet. It waits without counting attempts and " +
        "is woken when its parent is bound.",
      normal: "Yes, during a first load and whenever a child was changed before its parent.",
      remedy:
        "Nothing while its parent is on its way. If the parent never comes: fix it, write `optional: true` at the ref " +
        'in the sync file, or "svcsync skip {record}".',
      more:
        "`svcsync explain` says where the parent is parked, was left out, deleted by the ERP before svcsync saw it, " +
        "never shown, or waits for this record in turn. With `optional: true` beside the [`ref`](../sync-file.md#ref) " +
        "the record goes without it. To leave it waiting does no harm.",
      heals: true,
    },
    E_ROW_UNREADABLE: {
      meaning:
        "The ERP's row of this record cannot be read: an invalid change stamp, a document that is nested too deeply or " +
        "is larger than 16 million characters, a line of a file with a wrong value, a key that is not valid text, or " +
        "several rows in one answer of an API that have the same key and differ. The message names the place and the " +
        "reason. The record keeps what was last delivered, and all other records continue. A sweep never treats it as deleted.",
      normal: "Now and then, where people or imports write into the ERP.",
      remedy:
        "Correct the row in the ERP; the next poll reads it again. Where several rows have the same key, choose fields " +
        "for `key` that are unique together.",
      more: "No `retry` is needed. A column that is not needed can be left out with `columns`.",
    },
    E_SOURCE_UNREADABLE: {
      meaning:
        "More than 20 rows of one batch, and more than a tenth of it, cannot be read. These are not a few odd rows: " +
        "the stream is being read in the wrong way, so nothing of the batch was used and the stream stopped.",
      normal: "No.",
      remedy:
        "Read the first reason in the message: too many rows cannot be read. Correct the table, the view or `read`.",
      more:
        "Compare `changed`, `stampFormat`, `columns` and the formats in the stream's `read` with the ERP, and run " +
        "`svcsync check`.",
    },
    E_CHILDREN_FIRST: {
      meaning:
        "The ERP deleted a record to which others still belong in the service. It is deleted as soon as the last of " +
        "them is gone, and delivered again at once if the ERP shows it again. Meanwhile svcsync keeps checking, first " +
        "after ten seconds, later once an hour. After a store was lost it also waits until svcsync has searched the " +
        "service for the children that the ERP deleted too.",
      normal: "Yes, for as long as the children's own deletions are on their way.",
      remedy:
        "Nothing while the deletions of its children are on their way. If they stay in the ERP, delete them there, or " +
        "set the stream's `deleted` to something milder.",
      heals: true,
    },
    E_LIST_INCOMPLETE: {
      meaning:
        "The list of a resource shows nothing, or far fewer records than were there before, although some of the " +
        "missing ones can still be read. svcsync creates nothing based on such a list, and refuses no name: records wait " +
        "and are retried automatically.",
      normal: "No.",
      remedy:
        "Check whether the token's user still sees all records of the resource in the service, and whether the service " +
        "is being repaired. If it is a list of names (statuses, tags) that was emptied on purpose, add the names again, " +
        "or take the fields that look them up out of the sync file.",
      more: "If the whole service was emptied on purpose, start with a new `DATA_DIR`.",
      heals: true,
    },
    E_MATCH_UNPROVEN: {
      meaning:
        "The first record that a stream creates shows whether the service keeps the fields that records are found by. " +
        "The replica that leads creates it; the others wait for that.",
      normal: "Yes, for a moment during a first load with several replicas.",
      remedy: "Nothing.",
      heals: true,
    },
    E_MATCH_TAKEN: {
      meaning:
        "Two records of the ERP have the same natural key, and the service's record with that key belongs to the " +
        "first. The second one is parked: if it were created, it could not be told apart from the first.",
      normal:
        "No: either the ERP has a record twice, or the stream's [`match`](../sync-file.md#match) names records by " +
        "something that is not unique.",
      remedy:
        "Merge the two in the ERP, correct `match`, or allow such records by `shared: true` at the match rule; then " +
        '"svcsync retry {record}". To create this record all the same: "svcsync resolve {record} --create". To leave it ' +
        'out: "svcsync skip {record}".',
    },
    E_TWIN: {
      meaning:
        "A daemon was lost while it created a record, and another daemon created the record in its place. The create of " +
        "the lost one was carried out after all, so that the service holds two records with the same natural key. svcsync " +
        "looks for such second records for 24 hours after each create that a lost daemon had begun.",
      normal: "No. It needs a pause of the daemon at one exact moment, and a login that cannot be ended.",
      remedy:
        "Compare the two in the service and delete the second one there, or give it another natural key. Its id is in " +
        "the message. svcsync updates the first one alone and notices within a minute that the second one is gone.",
      more:
        "With SERVICE_USERNAME and SERVICE_PASSWORD the service refuses late creates: see " +
        "[what cannot be promised](../operations.md#what-cannot-be-promised).",
    },
    E_MATCH_DROPPED: {
      meaning:
        "The first record that the stream created does not show the value of its match field that was sent: a misspelt " +
        "field, or one that the service changes. After a restore its records would not be found and would be created " +
        "again, so the stream is held.",
      normal: "No.",
      remedy:
        "Correct the match field in the sync file, or name other fields under `match`. Then " +
        '"svcsync adopt {stream} --confirm".',
    },
    E_ATTEMPTS_EXHAUSTED: {
      meaning:
        "The record failed `RETRY_ATTEMPTS` times in a row while the service answered others; the message ends with " +
        "the last failure.",
      normal: "No.",
      remedy: 'Remove the cause that the message ends with, then "svcsync retry {record}".',
      more: "A change in the ERP retries it automatically.",
    },
    E_CREATE_UNSETTLED: {
      meaning:
        "A create was sent, and no answer came or none with an id. svcsync looks for the record in the service's list, " +
        "after 1, 2, 4, … seconds, until it is certain whether the record was created; svcsync never creates it again " +
        "while in doubt.",
      normal:
        "After a cut connection, a time-out, a 5xx or a kill, and where creates are answered without an id, yes; for " +
        "`SETTLE_LAG_SECONDS` at most.",
      remedy: "Nothing: svcsync asks the service what became of the create.",
      heals: true,
    },
    E_UPDATE_UNSETTLED: {
      meaning:
        "An update was sent and no answer came, or svcsync was killed meanwhile; a later one succeeded. The service " +
        "could still carry out the earlier one after the later one, so the fields are sent once more when that can no " +
        "longer happen.",
      normal: "After a cut connection, a time-out, a 5xx or a kill, yes; for `SETTLE_LAG_SECONDS` at most.",
      remedy: "Nothing: the fields are sent once more.",
      more: "The record already shows what the ERP says.",
      heals: true,
    },
    E_CREATE_UNCERTAIN: {
      meaning:
        "A create was sent, no answer came or none with an id, and svcsync cannot find out which record it created: " +
        "the stream has no match rule that applies, several records could be the result (or one, after " +
        '"svcsync resolve --create": it may be the one that you had ruled out), or the service does not keep ' +
        "the natural key as sent (it changes case, for example), so not finding it proves nothing. A create that the " +
        "service answered with success is not repeated either when its lists do not show the record within " +
        "`SETTLE_LAG_SECONDS`: they may lag longer, or hide it from the token's user.",
      normal: "Rare, and mostly for records without a natural key.",
      remedy:
        'Look for the record in the service. Found: "svcsync resolve {record} --bind ID". Not there: ' +
        '"svcsync resolve {record} --create". Not wanted: "svcsync skip {record}".',
      more: "A `match` rule for the stream avoids the next one.",
    },
    E_MATCH_AMBIGUOUS: {
      meaning: "Several records in the service match the record's natural key. svcsync never just takes the first.",
      normal: "If the service holds duplicates from the past, yes.",
      remedy:
        'Choose one of the candidates with "svcsync resolve {record} --bind ID", or merge them in the service and then ' +
        '"svcsync retry {record}".',
    },
    E_UNBOUND: {
      meaning:
        "Someone unbound the record (`svcsync unbind`). The record stays held, whatever changes in the ERP: svcsync " +
        "binds, creates and deletes nothing for it, even if its natural key matches a record in the service, because " +
        "that may be the one it was bound to by mistake. A deletion in the ERP touches nothing in the service.",
      normal: "Yes, until you answer.",
      remedy:
        'Bind it to an existing record: "svcsync resolve {record} --bind ID". Create it: ' +
        '"svcsync resolve {record} --create". Leave it out: "svcsync skip {record}".',
    },
    E_RESOURCE_CHANGED: {
      meaning:
        "The record has its counterpart in one resource of the service, and the sync file now leads its stream to " +
        "another. The id means nothing there, so nothing is sent.",
      normal: "No: `resource` of a stream in use was changed.",
      remedy: "Put the stream's former `resource` back into the sync file, and give the new one a stream of its own.",
    },
    E_ADOPTION_NEEDED: {
      meaning:
        "The stream's resource already holds records that svcsync did not create. Nothing is delivered until you " +
        "decide.",
      normal:
        "On the first run against a service that is in use, and after a backup was put in the store's place: what was " +
        "created since is unknown to it.",
      remedy: '"svcsync adopt {stream}" shows what matches; with --confirm the stream delivers.',
      more:
        "The command also shows what is new and what is ambiguous, and the page compares and releases too. After a " +
        "backup, `svcsync reconcile --repair` then brings back what was written since and changed back in the ERP.",
    },
    E_CHANGE_GUARD: {
      meaning:
        "The sync file changed, and the new mapping would update more records of the stream than the change guard " +
        "allows. Nothing of the stream is delivered, new rows included.",
      normal: "After an edit that is meant for many records. Otherwise a field may be mapped to the wrong column.",
      remedy:
        '"svcsync plan {stream}" shows what the changed mapping would write, and the command that confirms it ' +
        '("svcsync plan --confirm ID"). Or correct the sync file and restart.',
      more:
        "`status` shows the id too, and the page confirms too. After a correction the hold ends without a " +
        "confirmation. `CHANGE_GUARD_PERCENT` and `CHANGE_GUARD_COUNT` set the limits.",
    },
    E_PLAN_OUTDATED: {
      meaning:
        "The plan that was confirmed is not what would be written now. Its id stands for one mapping and exactly the " +
        "updates that follow from it, so a change of the sync file, of the ERP's rows or of the service's names gives " +
        "another id. Nothing was confirmed.",
      normal: "If time passed between looking and confirming, or when the id was misspelt.",
      remedy: 'Look at "svcsync plan", or at the plan on the page, again, then confirm the id that it shows.',
    },
    E_SWEEP_EMPTY: {
      meaning:
        "The ERP showed no key at all although records are known. svcsync treats that as a failed read, not as a mass " +
        "deletion.",
      normal: "No.",
      remedy:
        'Look at the source: a dropped view, a wrong `where`, missing rights. "svcsync peek {stream}" shows its rows. ' +
        'If it was emptied on purpose: "svcsync deletions {stream} --confirm".',
      more: "After the confirmation, two further sweeps that find no record carry out as many deletions as records were known.",
    },
    E_DELETION_COUNTED: {
      meaning:
        "The ERP deleted the record. Changes of its stream that came no later are delivered first, so that all " +
        "deletions among them are counted before one is carried out. No attempt is counted.",
      normal: "Yes, for a moment.",
      remedy: "Nothing: the deletions that came with it are counted first.",
      heals: true,
    },
    E_DELETION_HELD: {
      meaning:
        "More records of the stream are to be deleted than the deletion guard allows within a day, no matter whether flags, a " +
        "feed or sweeps report them. None of the pending deletions is carried out.",
      normal:
        "After a clean-up in the ERP. Otherwise a wrong flag, a wrong filter or a lost permission may be the cause.",
      remedy:
        'See how many there are, with examples, by "svcsync deletions {stream}". If they are intended, run the ' +
        "command that it shows; otherwise correct the ERP.",
      more:
        "The page confirms too. What the ERP shows again is kept. `DELETE_GUARD_PERCENT`, `DELETE_GUARD_COUNT` and " +
        "`DELETE_GUARD_FLOOR` set the limits.",
    },
    E_INTERNAL: {
      meaning:
        "svcsync hit a case that it does not handle. The record is retried, and parked if that does not help; the log " +
        "line has the full stack trace.",
      normal: "Never.",
      remedy: 'Report it with the log line and the output of "svcsync explain {record}".',
    },
  },
});

import { errorPage } from "../error-page.ts";

export const pipelineErrors = errorPage({
  title: "Errors of the pipeline",
  entries: {
    E_PARENT_MISSING: {
      meaning:
        "The record refers to another one that the service does not have yet. It waits, no attempt is counted, and " +
        "svcsync delivers it when its parent is bound.",
      normal: "Yes, during a first load and whenever a child changes before its parent.",
      remedy:
        "Nothing while svcsync delivers its parent. If the parent never arrives, correct the parent, add " +
        '`optional: true` to the ref in the sync file, or run "svcsync skip {record}".',
      more:
        "`svcsync explain` says why the parent does not arrive: it is parked, it was left out, the ERP deleted it, " +
        "no poll has returned it, or it waits for this record in turn. With `optional: true` in the " +
        "[`ref`](../sync-file.md#ref), svcsync delivers the record without a parent that was left out or deleted. " +
        "A waiting record does no harm.",
      heals: true,
    },
    E_ROW_UNREADABLE: {
      meaning:
        "svcsync cannot read the ERP's row of this record. Causes are an invalid change stamp, a key that is not " +
        "valid text, a document that is nested too deeply or has more than 16 million characters, or a wrong value " +
        "in a line of a file. In an API or a file, several rows may have the same key and differ. The message " +
        "names the place and the reason. The record is parked and the service keeps its last values; all other " +
        "records continue. A sweep never treats it as deleted.",
      normal: "Occasionally, if people or imports write invalid data into the ERP.",
      remedy:
        "Correct the row in the ERP; the next poll reads it again. If several rows have the same key, choose " +
        "fields for `key` whose combination is unique.",
      more: "No `retry` is needed. You can exclude a column that you do not need with `columns`.",
    },
    E_SOURCE_UNREADABLE: {
      meaning:
        "More than 20 rows of one batch, and more than a tenth of it, cannot be read. So many rows mean that the " +
        "stream is read with wrong settings. svcsync used nothing of the batch, and the stream stopped.",
      normal: "No.",
      remedy: "Read the first reason in the message, then correct the table, the view or `read`.",
      more:
        "Compare `changed`, `stampFormat`, `columns` and the formats in the stream's `read` with the ERP, and run " +
        "`svcsync check`.",
    },
    E_CHILDREN_FIRST: {
      meaning:
        "The ERP deleted a record that still has children in the service. svcsync deletes it when the last child " +
        "is gone, and delivers it again at once if the ERP returns it again. Until then it keeps checking, first " +
        "after ten seconds, later once an hour. After a lost store, it also waits until it has searched the " +
        "service for children that the ERP deleted too.",
      normal: "Yes, until the deletions of the children have been delivered.",
      remedy:
        "Nothing while the deletions of its children are being delivered. If the children stay in the ERP, delete " +
        "them there, or change the stream's `deleted` to `set` or `ignore`.",
      heals: true,
    },
    E_LIST_INCOMPLETE: {
      meaning:
        "The list of a resource shows nothing, or far fewer records than were there before, although some of the " +
        "missing ones can still be read. svcsync does not trust such a list: it creates no records and rejects no " +
        "names because of it. Records wait and are retried automatically.",
      normal: "No.",
      remedy:
        "Check whether the token's user still sees all records of the resource in the service, and whether the " +
        "service is being repaired. If someone emptied a list of names (statuses, tags) on purpose, add the names " +
        "again, or remove the fields that look them up from the sync file.",
      more: "If the whole service was emptied on purpose, start with a new `DATA_DIR`.",
      heals: true,
    },
    E_MATCH_UNPROVEN: {
      meaning:
        "The first record that a stream creates shows whether the service keeps the match fields. The leading " +
        "replica creates this record; the others wait.",
      normal: "Yes, for a moment during a first load with several replicas.",
      remedy: "Nothing.",
      heals: true,
    },
    E_MATCH_TAKEN: {
      meaning:
        "Two records of the ERP have the same natural key, and the service's record with that key belongs to the " +
        "first. The second one is parked: if it were created, it could not be told apart from the first.",
      normal:
        "No: either the ERP has a record twice, or the stream's [`match`](../sync-file.md#match) uses fields that " +
        "are not unique.",
      remedy:
        "Compare the two records in the ERP. If they are the same thing, merge them there, or leave this one out " +
        'with "svcsync skip {record}". If they are two things, correct `match` so that it tells them apart, then run ' +
        '"svcsync retry {record}". Only if two records with this key may exist in the service: add `shared: true` to ' +
        'the match rule, or create this one with "svcsync resolve {record} --create".',
    },
    E_TWIN: {
      meaning:
        "A daemon was lost while it created a record, and another daemon then created the record. The service " +
        "executed the first create late, so it now has two records with the same natural key. svcsync looks for " +
        "such second records for 24 hours after each create that a lost daemon started.",
      normal: "No. It needs a pause of the daemon at one exact moment, and a login whose session cannot be ended.",
      remedy:
        "Compare the two in the service and delete the second one there, or give it another natural key. Its id is " +
        "in the message. svcsync updates only the first one, and detects within a minute that the second one is " +
        "gone.",
      more:
        "With SERVICE_USERNAME and SERVICE_PASSWORD, the service refuses late creates: see [what cannot be " +
        "promised](../operations.md#what-cannot-be-promised).",
    },
    E_MATCH_DROPPED: {
      meaning:
        "The first record that the stream created does not have the value that svcsync sent for its match field: " +
        "the field is misspelt, or the service changes it. After a restore, svcsync could not find such records " +
        "and would create them again. So the stream is held.",
      normal: "No.",
      remedy:
        'Correct the match field in the sync file, or name other fields under `match`. Then run "svcsync adopt ' +
        '{stream} --confirm".',
    },
    E_FIELD_DROPPED: {
      meaning:
        "The service answered 200 and did not keep a field that names what the record belongs to, or by which it is " +
        "found: a reference to another record, or a part of `match`. The message has the field, the value that was " +
        "sent and the value that the service shows. The other fields of the record were written.",
      normal: "No. The service takes some of these fields only when it creates a record.",
      remedy:
        'Correct the field by hand in the service, then run "svcsync retry {record}". To write it only when a record ' +
        "is created, set `own: create` for the field.",
    },
    E_TICKET_MERGED: {
      meaning:
        "A person merged the record's ticket into another one in the service. svcsync binds the record to the ticket " +
        "that is left, but this one belongs to another record of the ERP, has another key, or cannot be found. Or the ERP " +
        "deleted the record, and svcsync does not delete the ticket that is left, because it also holds what others wrote. " +
        "Records that refer to the merged ticket belong to the one that is left.",
      normal: "When people merge two tickets that both come from the ERP.",
      remedy:
        'Merge the two in the ERP as well. To leave this record out: "svcsync skip {record}". To bind it to another ' +
        'ticket: "svcsync resolve {record} --bind ID". If the ERP deleted it, that deletes the ticket with this ID as well.',
      more:
        "If the message names another record that the ERP has deleted, the ticket that is left stays with that one, which may " +
        'come back. If it will not: "svcsync unbind" that one, then "svcsync retry {record}" binds this record to the ticket. ' +
        "If the ticket that is left was deleted in the service, svcsync creates a record that is bound to no ticket, within a " +
        "minute after it notices the deletion.",
    },
    E_ATTEMPTS_EXHAUSTED: {
      meaning:
        "The record failed `RETRY_ATTEMPTS` times in a row, although the service was working. The message ends " +
        "with the last failure.",
      normal: "No.",
      remedy: 'Fix the cause that the message ends with, then run "svcsync retry {record}".',
      more: "If the record changes in the ERP, svcsync retries it automatically.",
    },
    E_CREATE_UNSETTLED: {
      meaning:
        "svcsync sent a create and got no answer, or an answer without an id. It looks for the record in the " +
        "service's list, after 1, 2, 4, … seconds, until it is certain whether the record was created. Until then " +
        "it does not create the record again.",
      normal:
        "Yes, for `SETTLE_LAG_SECONDS` at most: after a lost connection, a time-out, a 5xx or a kill, or if the " +
        "service answers creates without an id.",
      remedy: "Nothing: svcsync finds out whether the service executed the create.",
      heals: true,
    },
    E_UPDATE_UNSETTLED: {
      meaning:
        "An update got no answer, or svcsync was killed before the answer; a later update succeeded. The service " +
        "could still execute the earlier update after the later one. So svcsync sends the fields once more when " +
        "that can no longer happen.",
      normal: "Yes, after a lost connection, a time-out, a 5xx or a kill, for `SETTLE_LAG_SECONDS` at most.",
      remedy: "Nothing: svcsync sends the fields once more.",
      more: "The record already has the values of the ERP.",
      heals: true,
    },
    E_CREATE_UNCERTAIN: {
      meaning:
        "svcsync sent a create, got no answer or one without an id, and cannot find out whether a record was " +
        "created. Possible reasons: no match rule of the stream applies. Several records could be the result; " +
        'after "svcsync resolve --create", even a single record may be the one that you ruled out. Or the service ' +
        "does not keep the natural key as it was sent (for example, it changes case), so that a search proves " +
        "nothing. If the service confirmed the create but its lists do not show the record within " +
        "`SETTLE_LAG_SECONDS`, svcsync does not repeat it either: the lists may take longer, or hide the record " +
        "from the token's user.",
      normal: "Rare, and mostly for records without a natural key.",
      remedy:
        'Look for the record in the service. If it is there: "svcsync resolve {record} --bind ID". If not: ' +
        '"svcsync resolve {record} --create". If it is not needed: "svcsync skip {record}".',
      more: "To avoid this error, add a `match` rule to the stream.",
    },
    E_MATCH_AMBIGUOUS: {
      meaning:
        "Several records in the service match the record's natural key. Or a weaker rule of `match` found one, and it " +
        "has another value in a field of a stronger rule: the same name, but another e-mail address. It may be " +
        "another person. svcsync never decides that itself.",
      normal: "Yes, if the service has old duplicates, or people of one name.",
      remedy:
        'Choose one of the candidates with "svcsync resolve {record} --bind ID", or merge them in the service and ' +
        'then run "svcsync retry {record}". If none of them is the record: "svcsync resolve {record} --create".',
      more:
        "If the values differ only in upper and lower case, write `compare: caseInsensitive` in the stronger rule and " +
        "retry the records. Once a candidate belongs to another record of the ERP, svcsync delivers this one again within a minute.",
    },
    E_UNBOUND: {
      meaning:
        "A person unbound the record (`svcsync unbind`). Until a person decides, svcsync binds, creates and " +
        "deletes nothing for it, even if it changes in the ERP. This also holds if its natural key matches a " +
        "record in the service: that may be the one it was bound to by mistake. A deletion in the ERP touches " +
        "nothing in the service.",
      normal: "Yes, until you decide.",
      remedy:
        'To bind it to an existing record: "svcsync resolve {record} --bind ID". To create it: "svcsync resolve ' +
        '{record} --create". To leave it out: "svcsync skip {record}".',
    },
    E_RESOURCE_CHANGED: {
      meaning:
        "The record is bound to a record of one resource, but the sync file now names another resource for its " +
        "stream. The id has no meaning there, so svcsync sends nothing.",
      normal: "No: `resource` of a stream in use was changed.",
      remedy: "Restore the stream's former `resource` in the sync file, and add a separate stream for the new one.",
    },
    E_ADOPTION_NEEDED: {
      meaning:
        "The stream's resource already holds records that svcsync did not create. Nothing is delivered until you " +
        "decide.",
      normal:
        "On the first run with a service that is in use. Also after a backup was restored: the store does not know " +
        "the records that were created since then.",
      remedy: '"svcsync adopt {stream}" shows which records match; with --confirm, it releases the stream.',
      more:
        "The command also shows which records are new and which are ambiguous. You can do the same on the status " +
        "page. After a restored backup, svcsync has compared the records that it knows with the service by then, and " +
        "writes again what differs.",
    },
    E_CHANGE_GUARD: {
      meaning:
        "The sync file changed, and the new mapping would update more records of the stream than the change guard " +
        "allows. Nothing of the stream is delivered, new rows included.",
      normal:
        "After an edit that intentionally changes many records. Otherwise a field may be mapped to the wrong column.",
      remedy:
        '"svcsync plan {stream}" shows what the changed mapping would write, and the command that confirms it ' +
        '("svcsync plan --confirm ID"). Or correct the sync file and restart.',
      more:
        "`status` also shows the id, and you can also confirm on the status page. After a correction, the hold " +
        "ends without a confirmation. `CHANGE_GUARD_PERCENT` and `CHANGE_GUARD_COUNT` set the limits.",
    },
    E_PLAN_OUTDATED: {
      meaning:
        "The confirmed plan is no longer what svcsync would write. The id of a plan covers one mapping and exactly " +
        "its updates. So a change of the sync file, of the ERP's rows or of the service's names gives a different " +
        "id. Nothing was confirmed.",
      normal: "If time passed between the plan and its confirmation, or if the id was misspelt.",
      remedy:
        'Run "svcsync plan" again, or look at the plan on the status page again; then confirm the id that it shows.',
    },
    E_SWEEP_EMPTY: {
      meaning:
        "The ERP returned no key at all, although the store has records of the stream. svcsync treats this as a " +
        "failed read, not as a mass deletion.",
      normal: "No.",
      remedy:
        'Check the source for a dropped view, a wrong `where` or missing rights. "svcsync peek {stream}" shows its ' +
        'rows. If it was emptied on purpose: "svcsync deletions {stream} --confirm".',
      more:
        "After the confirmation, and after two more sweeps that find no record, svcsync executes as many deletions " +
        "as records were known.",
    },
    E_DELETION_COUNTED: {
      meaning:
        "The ERP deleted the record. svcsync first processes the earlier and simultaneous changes of its stream, " +
        "so that it counts all deletions before it executes one. No attempt is counted.",
      normal: "Yes, for a moment.",
      remedy: "Nothing: svcsync first counts the deletions that came with it.",
      heals: true,
    },
    E_DELETION_HELD: {
      meaning:
        "More records of the stream are to be deleted than the deletion guard allows within a day, no matter " +
        "whether flags, a feed or sweeps report them. svcsync executes none of the pending deletions.",
      normal:
        "After a clean-up in the ERP. Otherwise a wrong flag, a wrong filter or a lost permission may be the cause.",
      remedy:
        '"svcsync deletions {stream}" shows how many there are, with examples. If they are intended, run the ' +
        "command that it shows; otherwise correct the ERP.",
      more:
        "You can also confirm on the status page. Records that the ERP returns again are kept. " +
        "`DELETE_GUARD_PERCENT`, `DELETE_GUARD_COUNT` and `DELETE_GUARD_FLOOR` set the limits.",
    },
    E_INTERNAL: {
      meaning:
        "svcsync met a case that it does not handle. It retries the record, and parks it if that does not help; " +
        "the log line has the full stack trace.",
      normal: "Never.",
      remedy: 'Report it with the log line and the output of "svcsync explain {record}".',
    },
  },
});

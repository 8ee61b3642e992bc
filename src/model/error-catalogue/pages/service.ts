import { errorPage } from "../error-page.ts";

export const serviceErrors = errorPage({
  title: "Errors of the service",
  entries: {
    E_SERVICE_LOGIN: {
      meaning:
        "The service rejects the credentials: user name and password were refused, the token was refused twice, or " +
        "every new token was refused at its first use. svcsync stops and never sends the same credentials again, so " +
        "that the account is not locked. Where they come from a file (`SERVICE_TOKEN_FILE`, `SERVICE_PASSWORD_FILE`), " +
        "the file is read again first, and svcsync continues if it holds others by then. A login that is answered 400 " +
        "or 403, but not in the service's own words, may have met a gateway: it is tried three times more within two " +
        "and a half minutes (E_SERVICE_DOUBTED) before svcsync stops. `svcsync run` then ends only after five minutes, " +
        "because a supervisor would start it again at once. With `STORE_URL` a refusal counts for all daemons of the store: " +
        "none sends the same password again within an hour.",
      normal: "No.",
      remedy: "Correct SERVICE_TOKEN, or SERVICE_USERNAME, SERVICE_PASSWORD and SERVICE_CODE, and start again.",
      more:
        "A token of the web interface may have been revoked or have expired: make a new one. A second factor that " +
        "changes every minute cannot be used by a daemon: make a token instead.",
    },
    E_SERVICE_OTHER: {
      meaning:
        "`SERVICE_URL` is not an address of the service whose ids the store holds, or that its other replicas work with. In another service, or " +
        "another tenant, these ids are other records: they would be overwritten, and the ids of two services would be mixed. Nothing was sent.",
      normal: "No.",
      remedy:
        "Correct SERVICE_URL. If it is another address of the same service, also set SERVICE_FORMER_URL to the one that the message " +
        "names. Another service needs a store of its own: another DATA_DIR or STORE_SCHEMA.",
      more:
        "The store remembers every address that was given to it so, and `SERVICE_FORMER_URL` can be removed after one start. Replicas " +
        "can therefore be restarted with a new address one after the other, while others still have the old one.",
    },
    E_SERVICE_UNAUTHORIZED: {
      meaning:
        "One request met an expired token seven times in a row although svcsync logged in again each time. Nothing was " +
        "done.",
      normal: "Only where tokens expire within a few requests.",
      remedy:
        "Check whether another program logs in with the same SERVICE_TOKEN_NAME and so invalidates svcsync's token.",
      heals: true,
    },
    E_SERVICE_BUSY: {
      meaning:
        "The service answered 429: too many requests. Nothing was done. svcsync holds all its requests back for as " +
        "long as the service asks, tries one, and then never sends more within a second than the service let pass. " +
        "Requests wait up to 15 seconds for their turn; for a longer pause their records go back to the store with " +
        "this code. No attempt is counted. The status page, `/api/status` and `svcsync status` show how long svcsync " +
        "waits and how many requests a second pass.",
      normal:
        "Yes, for a while. Where a quota per day is used up it stays until the service accepts requests again; svcsync " +
        "asks once a minute without `Retry-After`, every five minutes with it, and once an hour when the service " +
        "announces a long wait.",
      remedy: "Nothing. If it stays, ask the provider of the service for a higher limit.",
      heals: true,
    },
    E_SERVICE_DOWN: {
      meaning:
        "Ten requests in a row failed, or two got no answer in time, so the circuit breaker is open: nothing is sent " +
        "for a while. Then svcsync sends a single request as a probe; if it succeeds, all others continue. No attempt " +
        "is counted.",
      normal: "During an outage or maintenance.",
      remedy: "Nothing: svcsync probes it. If it lasts, look at the service.",
      heals: true,
    },
    E_SERVICE_UNREACHABLE: {
      meaning:
        "No connection, a time-out, or a connection that was cut. The message says where and why. If it happened " +
        "during a create, after the connection was established, svcsync looks in the service before it retries.",
      normal: "Now and then.",
      remedy: "Nothing for a while. If it stays, check SERVICE_URL, the network, the proxy and the certificates.",
      heals: true,
    },
    E_SERVICE_FAILED: {
      meaning:
        "The service answered with an error of its own (5xx, 408, or 200 with an `errorMessage`), or with a status that " +
        "does not prove that nothing was done. Reads and deletions are repeated; after a create svcsync looks in the " +
        "service first, and an edit is sent again.",
      normal: "Now and then.",
      remedy:
        "Nothing. If it always happens with the same record, the record's data makes the service fail: the message " +
        "contains what the service says.",
      more: "A path that the service does not support may answer 500 too: see `DIALECT_PATHS`.",
      heals: true,
    },
    E_SERVICE_ANSWER: {
      meaning:
        "The answer is not one that the service gives: not JSON, a redirect, no list where one was requested, another " +
        "record than the requested one, an id that is not a positive whole number, or too large. An empty list is " +
        "believed only in its own shape (its key with `[]`, or `totalCount: 0`). A write with such an answer may have " +
        "been carried out: svcsync looks in the service first. Usually something in between answered: a proxy, a login " +
        "page, a maintenance page.",
      normal: "No.",
      remedy: '"svcsync check --service" names the DIALECT settings that differ.',
      more: "Also open the address from the same machine.",
      heals: true,
    },
    E_SERVICE_REFUSED: {
      meaning:
        "The service refused the request (400, 403, 405, 409, 422 …), with its own words at the end of the message; or " +
        "it never allows the operation, such as deleting a tag. A refusal is believed while the service shows other " +
        "records that are known to be there, and when it is in the service's own words (`errorMessage`) or comes " +
        "twice; then the record is parked.",
      normal: "No.",
      remedy:
        "Correct the value that the message names: in the ERP, or in the sync file and restart svcsync. The record is then " +
        'retried automatically. If a permission or a licence is missing, grant it, then "svcsync retry {record}".',
      more:
        "A value is refused with 400 or 422, a missing permission or licence with 403. Where deleting is never " +
        "allowed, let the stream set a field instead.",
    },
    E_SERVICE_DOUBTED: {
      meaning:
        "The service refuses one record and, asked at that moment, also refuses records of the same resource that are " +
        "known to be there. Usually a gateway or proxy in front of it answers 404, 400 or 403 to everything. The " +
        "record waits, no attempt is counted, and meanwhile nothing is created, parked or treated as deleted. Ten such " +
        "answers in a row open the circuit breaker.",
      normal: "For seconds or minutes, while something in front of the service is restarted.",
      remedy:
        "Nothing while something in front of the service restarts. If it stays, read one record with the same token: " +
        "see DIALECT_RECORD_PATH and the user's permissions.",
      more:
        "If the list shows records that cannot be read by their ids, set `DIALECT_RECORD_PATH`; if everything is " +
        "refused, give the user of the token the permission to read.",
      heals: true,
    },
    E_RESOURCE_UNKNOWN: {
      meaning:
        "The tenant answers 404 for the whole resource: its name is spelled differently there, it lies below another " +
        "resource, or belongs to a module that is not licensed.",
      normal: "No.",
      remedy: '"svcsync check --service" names the DIALECT settings that differ.',
      more: "It tries the other spellings and prints the `DIALECT_PATHS` line.",
    },
    E_RECORD_GONE: {
      meaning:
        "The service no longer has the record that svcsync wanted to edit: a person deleted it there, or the token's " +
        "user may no longer see it. svcsync believes this only while the service shows other records that are known to " +
        "be there.",
      normal: "When people delete in the service.",
      remedy:
        'It was deleted in the service. Create it again: "svcsync resolve {record} --create". Leave it deleted: ' +
        '"svcsync skip {record}". `gone: recreate` decides for the whole stream.',
      more:
        "If it was not deleted, see whether the user of the token still has the permission. Another record with its " +
        "natural key that is not bound to anything is used without asking.",
    },
    E_PARENT_CHANGED: {
      meaning:
        "The service holds the record at an address below its parent (`DIALECT_PATHS`), and the ERP gave it another " +
        "parent. No edit can move it, so nothing was sent; the record stays as it was.",
      normal: "Where people move such records in the ERP.",
      remedy:
        'Delete it in the service, then "svcsync retry {record}" creates it below its new parent; or move it back in ' +
        "the ERP. `moved: recreate` does so for the whole stream.",
      more: "It loses what people added to the old record. Moved back in the ERP, the record is delivered where it is.",
    },
    E_CREATE_UNKNOWN: {
      meaning:
        "A create was answered with success, but without a reliable id: the answer came without one, with an id whose " +
        "record is not the one that was sent, or with one that belongs to another record. svcsync then looks for the " +
        "new record by the stream's `match`: after the next retry, and again after 1, 2, 4, … seconds, until a list " +
        "shows it. It never creates the record again, because the service said that it is there. Where no list shows " +
        "it within `SETTLE_LAG_SECONDS`, or the stream has no `match`, the record becomes E_CREATE_UNCERTAIN.",
      normal: "Only on tenants that answer creates with an empty body (`DIALECT_CREATE_ANSWER=none`).",
      remedy: "Nothing: svcsync looks for the new record by the stream's `match`, and does not create it again.",
      more:
        "If records become uncertain, give the stream a `match`, let the token's user see what it creates, and set " +
        "`SETTLE_LAG_SECONDS` above the lag of the tenant's lists.",
      heals: true,
    },
    E_LIST_UNSTABLE: {
      meaning:
        "The pages of a list do not add up: the same page came twice, rows that are counted are not shown, or the rows " +
        "moved too often while they were read.",
      normal: "Rarely, while many records are deleted.",
      remedy: 'If it stays, "svcsync check --service" names the DIALECT settings that differ.',
      more: "They are `DIALECT_PAGING`, `DIALECT_SORT` or `DIALECT_TOTAL_KEY`.",
      heals: true,
    },
    E_LOOKUP_UNKNOWN: {
      meaning:
        "The sync file looks a record up by a name that the service does not have. The message lists the names that " +
        "exist.",
      normal: "After a status or a tag was renamed.",
      remedy:
        "Correct the name in the sync file or its `map`, or create it in the service and then " +
        '"svcsync retry {record}".',
    },
    E_LOOKUP_AMBIGUOUS: {
      meaning: "Several records of the service have the name that is looked up. The details list their ids.",
      normal: "No.",
      remedy:
        'Rename or deactivate one of them in the service, or look up by a unique field; then "svcsync retry {record}".',
    },
    E_PARENT_UNKNOWN: {
      meaning:
        "`DIALECT_PATHS` nests the resource below another one, and the record does not say which record is its parent.",
      normal: "No.",
      remedy: "Map the field that the message names by `ref` or by a lookup.",
    },
    E_FIELD_UNKNOWN: {
      meaning:
        "`svcsync check` found a target field in the sync file that the service does not have. It compares each name " +
        "with a page of the tenant's records, with the tenant's custom fields, and with the fields that svcsync knows. " +
        "The service takes such a field with 200 and drops it, so nothing would be refused later. A name that none of " +
        'the three can prove is reported as "not proven", as a warning: an empty resource shows no fields.',
      normal: "No, it is a spelling mistake.",
      remedy: "Correct the field's name in the sync file; the service would drop it silently.",
      more: "The message suggests a similar one.",
    },
    E_FIELD_TYPE: {
      meaning:
        "`svcsync check` mapped rows of the ERP and found a value that the field does not take: a text for a number, a " +
        "number for a text, a name where the service expects the id of a record.",
      normal: "No.",
      remedy:
        "Convert the value in the sync file with `expr`, such as $string(column) or $number(column); " +
        '"svcsync peek {stream}" shows what rows are mapped to.',
      more: "Link to records by `ref` or `lookup`.",
    },
    E_CUSTOM_FIELD: {
      meaning: "A field of the sync file begins with `customFields.` and names nothing after it.",
      normal: "No.",
      remedy: "Write `customFields.` with the id or the name of the custom field.",
    },
  },
});

import { errorPage } from "../error-page.ts";

export const serviceErrors = errorPage({
  title: "Errors of the service",
  entries: {
    E_SERVICE_LOGIN: {
      meaning:
        "The service rejects the credentials: it refused the user name and password, refused the token twice, or " +
        "refused every new token at its first use. svcsync stops and never sends the same credentials again, so " +
        "that the account is not locked. If they come from a file (`SERVICE_TOKEN_FILE`, `SERVICE_PASSWORD_FILE`), " +
        "svcsync first reads the file again, and continues if the file contains new ones. If the login is answered " +
        "400 or 403 without an error message of the service, a gateway may have answered. svcsync then tries three " +
        "more times within two and a half minutes (E_SERVICE_DOUBTED) before it stops. `svcsync run` then ends " +
        "only after five minutes, because a supervisor would start it again at once. With `STORE_URL`, a refusal " +
        "applies to all daemons of the store: none of them sends the same password again within an hour.",
      normal: "No.",
      remedy: "Correct SERVICE_TOKEN, or SERVICE_USERNAME, SERVICE_PASSWORD and SERVICE_CODE, and start svcsync again.",
      more:
        "A token from the web interface may have been revoked or have expired: create a new one. A daemon cannot " +
        "use a second factor that changes every minute: create a token instead.",
    },
    E_SERVICE_OTHER: {
      meaning:
        "`SERVICE_URL` does not name the service whose ids are in the store, or the one that the other replicas " +
        "use. In another service or tenant, the same ids belong to other records, and svcsync would overwrite " +
        "these. Nothing was sent.",
      normal: "No.",
      remedy:
        "Correct SERVICE_URL. If it is another address of the same service, also set SERVICE_FORMER_URL to the one " +
        "that the message names. A different service needs a separate store: another DATA_DIR or STORE_SCHEMA.",
      more:
        "The store remembers each address that was set in this way, so you can remove `SERVICE_FORMER_URL` after " +
        "one start. You can restart replicas with a new address one after the other, while the others still use " +
        "the old one.",
    },
    E_SERVICE_UNAUTHORIZED: {
      meaning:
        "The service refused the token of one request seven times in a row (401), although svcsync logged in again " +
        "each time. The request was not executed.",
      normal: "Only if tokens expire within a few requests.",
      remedy:
        "Check whether another program logs in with the same SERVICE_TOKEN_NAME and so invalidates svcsync's token.",
      heals: true,
    },
    E_SERVICE_BUSY: {
      meaning:
        "The service answered 429: too many requests. The request was not executed. svcsync stops all requests for " +
        "as long as the service asks, then tries one. After that, it never sends more requests per second than the " +
        "service accepted. A request waits up to 15 seconds. If the pause is longer, its record goes back to the " +
        "store with this code. No attempt is counted. The status page, `/api/status` and `svcsync status` show how " +
        "long svcsync waits and how many requests per second it sends.",
      normal:
        "Yes, for a while. If a daily quota is used up, it lasts until the service accepts requests again; svcsync " +
        "asks once a minute without `Retry-After`, every five minutes with it, and once an hour when the service " +
        "announces a long wait.",
      remedy: "Nothing. If it lasts, ask the provider of the service for a higher limit.",
      heals: true,
    },
    E_SERVICE_DOWN: {
      meaning:
        "Ten requests in a row failed, or two got no answer in time, so the circuit breaker is open: nothing is sent " +
        "for a while. Then svcsync sends a single request as a probe; if it succeeds, all others continue. No attempt " +
        "is counted.",
      normal: "During an outage or maintenance.",
      remedy: "Nothing: svcsync probes the service. If it lasts, check the service.",
      heals: true,
    },
    E_SERVICE_UNREACHABLE: {
      meaning:
        "There was no connection, a time-out, or an interrupted connection. The message says where and why. If it " +
        "happened during a create, after the connection was established, svcsync looks in the service before it " +
        "retries.",
      normal: "Occasionally.",
      remedy: "Nothing at first. If it lasts, check SERVICE_URL, the network, the proxy and the certificates.",
      heals: true,
    },
    E_SERVICE_FAILED: {
      meaning:
        "The service answered with a server error (5xx, 408, or 200 with an `errorMessage`), or with a status that " +
        "leaves open whether the request was executed. svcsync repeats reads, deletions and updates. After a " +
        "create, it first looks for the record in the service.",
      normal: "Occasionally.",
      remedy:
        "Nothing. If it always happens with the same record, its data makes the service fail: the message contains " +
        "the service's error text.",
      more: "The service may also answer 500 for a path that it does not support: see `DIALECT_PATHS`.",
      heals: true,
    },
    E_SERVICE_ANSWER: {
      meaning:
        "The answer does not have the form that the service uses: it is a redirect, not JSON, or too large. Or it " +
        "has no list, another record than the requested one, or an id that is not a positive whole number. svcsync " +
        "accepts an empty list only in the expected form (its key with `[]`, or `totalCount: 0`). If a write got " +
        "such an answer, the service may have executed it, so svcsync looks in the service before it writes again. " +
        "Usually a proxy, a login page or a maintenance page answered instead.",
      normal: "No.",
      remedy: '"svcsync check --service" names the DIALECT settings that need a change.',
      more: "Also open the address on the same machine.",
      heals: true,
    },
    E_SERVICE_REFUSED: {
      meaning:
        "The service refused the request (400, 403, 405, 409, 422 …), or it never allows the operation, such as " +
        "deleting a tag. The message ends with the service's error text. svcsync parks the record only after two " +
        "checks: the service still shows other known records, and the refusal has an `errorMessage` or comes twice.",
      normal: "No.",
      remedy:
        "Correct the value that the message names: in the ERP, or in the sync file (then restart svcsync). The " +
        "record is then retried automatically. If a permission or a licence is missing, grant it, then run " +
        '"svcsync retry {record}".',
      more:
        "A value is refused with 400 or 422, a missing permission or licence with 403. If the service never allows " +
        "a deletion, set a field instead (`deleted` of the stream).",
    },
    E_SERVICE_DOUBTED: {
      meaning:
        "The service refuses one record, and at the same moment also refuses other records of the resource that " +
        "are known to exist. Usually a gateway or proxy in front of it answers 404, 400 or 403 to everything. The " +
        "record waits, no attempt is counted, and meanwhile nothing is created, parked or treated as deleted. Ten " +
        "such answers in a row open the circuit breaker.",
      normal: "For seconds or minutes, while a gateway or proxy in front of the service restarts.",
      remedy:
        "Nothing while a gateway or proxy restarts. If it lasts, try to read one record with the same token, and " +
        "check DIALECT_RECORD_PATH and the user's permissions.",
      more:
        "If the list shows records that cannot be read by their ids, set `DIALECT_RECORD_PATH`; if everything is " +
        "refused, give the user of the token the permission to read.",
      heals: true,
    },
    E_RESOURCE_UNKNOWN: {
      meaning:
        "The tenant answers 404 for the whole resource: its name is spelled differently there, its path is below " +
        "another resource, or it belongs to a module that is not licensed.",
      normal: "No.",
      remedy: '"svcsync check --service" names the DIALECT settings that need a change.',
      more: "It tries the other spellings and prints the `DIALECT_PATHS` line.",
    },
    E_RECORD_GONE: {
      meaning:
        "The service no longer has the record that svcsync wanted to edit: a person deleted it there, or the " +
        "token's user may no longer see it. svcsync accepts this only if the service still shows other records " +
        "that are known to exist.",
      normal: "When people delete records in the service.",
      remedy:
        "Look whether the service still has it and the token's user may not see it: then correct the user's rights and run " +
        '"svcsync retry {record}". If a person deleted it and it shall stay so: "svcsync skip {record}". To create it again: ' +
        '"svcsync resolve {record} --create". To always create such records again, set `gone: recreate` for the stream.',
      more: "If the service has an unbound record with the same natural key, svcsync binds that one without asking.",
    },
    E_PARENT_CHANGED: {
      meaning:
        "The record's address in the service is below its parent (`DIALECT_PATHS`), and the ERP gave it another " +
        "parent. An update cannot move it, so nothing was sent; the record stays as it was.",
      normal: "If people move such records in the ERP.",
      remedy:
        'Delete it in the service; then "svcsync retry {record}" creates it below its new parent. Or move it back ' +
        "in the ERP. To always recreate such records, set `moved: recreate` for the stream.",
      more:
        "Data that people added to the old record is lost when you delete it. If you move the record back in the " +
        "ERP, svcsync updates the existing one.",
    },
    E_MOVE_UNSUPPORTED: {
      meaning:
        "The ERP gave the contact or object another customer. The service changes a customer only by its action " +
        "`move`, and it does not offer this action (404 or 405). Nothing was sent; the record stays as it was.",
      normal: "If people move such records in the ERP and the service's version does not have the action.",
      remedy:
        'Move it by hand in the service, or move it back in the ERP; then run "svcsync retry {record}". To leave the ' +
        "customer as it was created, set `own: create` for the field.",
    },
    E_CREATE_UNKNOWN: {
      meaning:
        "The service confirmed a create, but without a reliable id: the answer had no id, an id whose record " +
        "differs from the one that was sent, or an id that belongs to another record. The next retry looks for the " +
        "new record by the stream's `match`, and again after 1, 2, 4, … seconds, until a list shows it. svcsync " +
        "never creates the record again, because the service confirmed the create. If no list shows it within " +
        "`SETTLE_LAG_SECONDS`, or the stream has no `match`, the record becomes uncertain (E_CREATE_UNCERTAIN).",
      normal: "Only on tenants that answer creates with an empty body (`DIALECT_CREATE_ANSWER=none`).",
      remedy: "Nothing: svcsync looks for the new record by the stream's `match`, and does not create it again.",
      more:
        "If records become uncertain, give the stream a `match`, allow the token's user to see what it creates, " +
        "and set `SETTLE_LAG_SECONDS` to more than the delay of the tenant's lists.",
      heals: true,
    },
    E_LIST_UNSTABLE: {
      meaning:
        "The pages of a list do not add up: the same page came twice, counted rows are missing, or rows changed " +
        "their place too often while svcsync read them.",
      normal: "Rarely, while many records are deleted.",
      remedy: 'If it lasts, "svcsync check --service" names the DIALECT settings that need a change.',
      more: "They are `DIALECT_PAGING`, `DIALECT_SORT` or `DIALECT_TOTAL_KEY`.",
      heals: true,
    },
    E_LOOKUP_UNKNOWN: {
      meaning:
        "The sync file looks a record up by a name that the service does not have. The message lists the names that " +
        "exist.",
      normal: "After a status or a tag was renamed.",
      remedy:
        'Correct the name in the sync file or its `map`, or create it in the service; then run "svcsync retry ' +
        '{record}".',
    },
    E_LOOKUP_AMBIGUOUS: {
      meaning: "Several records of the service have the requested name. The details list their ids.",
      normal: "No.",
      remedy:
        'Rename or deactivate one of them in the service, or look it up by a unique field; then run "svcsync retry ' +
        '{record}".',
    },
    E_PARENT_UNKNOWN: {
      meaning: "`DIALECT_PATHS` puts the resource below another one, but the record does not name its parent.",
      normal: "No.",
      remedy: "Map the field that the message names with `ref` or `lookup`.",
    },
    E_FIELD_UNKNOWN: {
      meaning:
        "`svcsync check` found a target field in the sync file that the service does not have. It compares each " +
        "name with a page of the tenant's records, with the tenant's custom fields, and with the fields that " +
        "svcsync knows. The service answers 200 to such a field and ignores it, so no later step would report it. " +
        "If none of the three can prove a name, for example because the resource is empty, svcsync reports it as " +
        '"not proven", a warning.',
      normal: "No, it is a spelling mistake.",
      remedy: "Correct the field's name in the sync file; the service would ignore the field silently.",
      more: "The message suggests a similar one.",
    },
    E_FIELD_TYPE: {
      meaning:
        "`svcsync check` mapped rows of the ERP and found a value that the field does not accept: text instead of " +
        "a number, a number instead of text, or a name instead of the id of a record.",
      normal: "No.",
      remedy:
        "Convert the value in the sync file with `expr`, such as $string(column) or $number(column); " +
        '"svcsync peek {stream}" shows what rows are mapped to.',
      more: "Refer to records with `ref` or `lookup`.",
    },
    E_CUSTOM_FIELD: {
      meaning: "A field of the sync file begins with `customFields.` and names nothing after it.",
      normal: "No.",
      remedy: "Write `customFields.` with the id or the name of the custom field.",
    },
  },
});

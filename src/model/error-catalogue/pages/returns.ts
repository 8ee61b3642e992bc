import { errorPage } from "../error-page.ts";

export const returnsErrors = errorPage({
  title: "Errors of the lane back to the ERP",
  entries: {
    E_RETURN_UNKNOWN: {
      meaning: "A command names a return, or a stream of returns, that svcsync does not know. Nothing was done.",
      normal: "After a slip in its name.",
      remedy: '"svcsync returns" lists the streams, "svcsync returns STREAM" the returns of one that need a person.',
    },
    E_RETURN_SETTLED: {
      meaning:
        "The state of a return does not allow what a person decided: it was answered, or handed over, or withdrawn meanwhile. Nothing was done.",
      normal: "Yes, if its state has changed since you looked.",
      remedy: 'Run "svcsync returns show {record}": perhaps there is nothing left to do.',
    },
    E_RETURN_KEY: {
      meaning:
        "A report names a customer, an order, a worker or an article by its id in the service, and svcsync does not know the ERP's key for it. " +
        "The report is not handed over, and no key is guessed.",
      normal: "When a user created the record in the service, or when its number is missing there.",
      remedy:
        "Enter the number in the service (for a worker the field externalErpNumber, for an article number), or let the record come from the ERP. " +
        "svcsync tries again.",
    },
    E_RETURN_WAITS: {
      meaning:
        "A report names a record whose key will be known as soon as svcsync has delivered it, or the answer to it is settled.",
      normal: "For a short time.",
      remedy: "None: svcsync tries again. If it lasts, look at the record that the message names.",
      heals: true,
    },
    E_RETURN_SUM: {
      meaning:
        "The rounded amounts of the lines of a report do not add up to its rounded total. Handed over as they are, the ERP would bill another sum " +
        "than the service shows.",
      normal: "No: the sync file says how amounts are rounded.",
      remedy:
        "Set `remainder: last` at the amount in the sync file, so that the last line takes what rounding left over, or round to more digits.",
    },
    E_RETURN_MOVING: {
      meaning:
        "A report changed while svcsync read it, three times in a row, or its lines do not add up to the totals that the service shows.",
      normal: "While a user works on the report.",
      remedy: "None: svcsync reads it again. If it lasts, open the report in the service and save it.",
      heals: true,
    },
    E_RETURN_CORRECTION: {
      meaning:
        "A report that was handed over has changed, or its approval was taken back. The correction waits for a person, because the ERP may have " +
        "billed the former version.",
      normal: "Yes, when a user takes an approval back or corrects a report.",
      remedy:
        '"svcsync returns show {record}" shows what differs, "svcsync returns send {record}" hands it over, "svcsync returns withdraw {record}" leaves the ERP as it is. ' +
        "With `corrections: send` in the sync file, corrections are handed over at once.",
    },
    E_RETURN_CONFLICT: {
      meaning:
        "The inbox has this version of the report with another content: another installation of svcsync writes into it, or this store was put back " +
        "to an earlier state. What the inbox has was not touched.",
      normal: "No.",
      remedy:
        'Let one installation alone write into an inbox. After a store was put back: compare both, then "svcsync returns send {record}" hands over the present ' +
        'content as a correction, or "svcsync returns withdraw {record}" leaves the ERP as it is.',
    },
    E_RETURN_INBOX: {
      meaning: "The inbox lacks a table, a column or a right, or a value does not fit its column.",
      normal: "Before the inbox was set up, or after its tables changed.",
      remedy:
        '"svcsync returns ddl --dialect postgres" (or mysql, mssql, sqlite) prints what the inbox needs; "svcsync check" compares it with what is there.',
    },
    E_RETURN_UNCERTAIN: {
      meaning:
        "svcsync keeps a note of each return that it hands over as files, and this one cannot be read. So it cannot tell whether the ERP has taken the " +
        "files, or they were never complete.",
      normal: "No. After the folder `begun` of the inbox was damaged or changed by hand.",
      remedy:
        'Look in the ERP. If it has the return: "svcsync returns arrived {record}". If it has not: "svcsync returns send {record}" writes the files again.',
    },
    E_RETURN_REFUSED: {
      meaning: "The ERP refused a return. The message is the ERP's own.",
      normal: "When the ERP checks what it books.",
      remedy:
        'Correct the report in the service: the correction is then handed over. Or correct the ERP, and "svcsync returns send {record}" hands the same ' +
        "content over as a new version.",
    },
    E_RETURN_UNANSWERED: {
      meaning: "The ERP has not answered a return within the time of `answers.within`.",
      normal: "When the ERP's job does not run.",
      remedy: "Look at the job that reads the inbox. The view svcsync_open lists what waits for an answer.",
    },
    E_RETURN_FOLLOW: {
      meaning:
        "The ERP accepted a report, and its document number could not be written into the service, which has another number there already.",
      normal: "When a user entered the number by hand.",
      remedy: "Compare both in the service and in the ERP. svcsync overwrites no number.",
    },
    E_RETURN_GUARD: {
      meaning:
        "More is to be handed over within an hour than is usual, so svcsync hands over nothing of this stream until a person has looked.",
      normal: "When many reports were approved at once, at the end of a month, for example.",
      remedy:
        '"svcsync returns" shows how many, "svcsync returns release {stream}" hands them over. `guard` in the sync file sets another number.',
    },
    E_RETURN_CANARY: {
      meaning:
        "A filter of the service's lists (approvedSince, status) leaves out a record that it should show. svcsync reads by changedSince instead, and looks " +
        "at all approved records every night.",
      normal: "Filters are documented, but not every version of the service has them.",
      remedy: "None: nothing is lost. It costs more requests.",
    },
  },
});

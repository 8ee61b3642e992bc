import { errorPage } from "../error-page.ts";

export const guardsErrors = errorPage({
  title: "Errors of the guards against mass changes and mail",
  entries: {
    E_MAIL_GUARD: {
      meaning:
        "The stream was never delivered, and more than 20 of its new records would make the service send mail to customers: by a status " +
        "with sendCustomerMail, or by sendMessage. If the user may not read the statuses, all that get one count. Nothing of the stream is delivered.",
      normal: "Before the first load of a tenant whose statuses send mail.",
      remedy:
        "Switch the mail off in the service and restart svcsync; `svcsync check` names the statuses and fields. Or let the service send it: " +
        '"svcsync plan {stream}" shows the records, and "svcsync plan --confirm ID" loads them.',
      more: "A stream that has delivered a record is not held again. You can also confirm on the status page.",
    },
    E_MASS_CHANGE: {
      meaning:
        "Within one poll, or polls of ten minutes, the ERP changed so many records that svcsync would update more than " +
        "50 records and more than a quarter of those that it keeps in the service. These records wait. All others of the stream are delivered.",
      normal:
        "After an intended mass change, such as new prices for all items. Otherwise the ERP may be " +
        "another database, an export may have another encoding, or an import may have gone wrong.",
      remedy:
        '"svcsync plan {stream}" shows what would be written, and "svcsync plan --confirm ID" writes it. Or correct the ERP: ' +
        "once it shows the old values again, the hold ends.",
      more:
        "`status` also shows the id, and you can also confirm on the status page. Another mass change during the hold is counted " +
        "again and gets another id; single changes do not. `MASS_GUARD_PERCENT` and `MASS_GUARD_COUNT` set the limits; 100 percent " +
        "turns the guard off.",
    },
  },
});

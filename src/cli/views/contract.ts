/** What a column of a view holds. A `flag` is 0 or 1, because databases spell booleans differently. */
export type ViewColumnKind = "code" | "text" | "flag" | "stamp" | "moment";

export interface ViewColumn {
  readonly name: string;
  readonly kind: ViewColumnKind;
  /** False: the column is there, but may be NULL. */
  readonly isFilled: boolean;
  /** For the person who writes the view. */
  readonly about: string;
}

/** One view that the person who administers the ERP's database creates, and that one stream reads. */
export interface ContractView {
  readonly name: string;
  readonly title: string;
  readonly columns: readonly ViewColumn[];
}

/** Every view has this prefix, so that it cannot be taken for a table of the ERP. */
export const VIEW_PREFIX = "svcsync_";

const filled = (name: string, kind: ViewColumnKind, about: string): ViewColumn => ({
  name,
  kind,
  isFilled: true,
  about,
});
const maybe = (name: string, kind: ViewColumnKind, about: string): ViewColumn => ({
  name,
  kind,
  isFilled: false,
  about,
});

const stamp = filled("updated_at", "stamp", "moves with every change of any table that the row is made of");
const deleted = filled("deleted", "flag", "1: deleted, blocked or closed for good; the row stays in the view");
const customer = filled("customer_no", "code", "number of the customer, as in svcsync_customers");

/**
 * The views that `svcsync init --erp views` maps. Names and types are the same in every database, so that one sync file fits all; what is
 * specific to an ERP is in the views.
 */
export const contract: readonly ContractView[] = [
  {
    name: `${VIEW_PREFIX}customers`,
    title: "Customers",
    columns: [
      filled("customer_no", "code", "KEY: number of the customer"),
      filled("name1", "text", "name"),
      maybe("name2", "text", "second line of the name"),
      maybe("short_name", "text", "short name or search name"),
      maybe("email_domain", "text", "what mails of this customer end with, such as @example.com"),
      maybe("warning", "text", "what the service's users are warned of"),
      filled("status", "code", "A: active, I: inactive, P: prospect"),
      maybe("remarks", "text", "notes; written only when the customer is created in the service"),
      deleted,
      stamp,
    ],
  },
  {
    name: `${VIEW_PREFIX}contacts`,
    title: "Contacts",
    columns: [
      filled("customer_no", "code", "KEY, part 1: number of the contact's customer"),
      filled("contact_no", "code", "KEY, part 2: number of the contact, unique within its customer"),
      maybe("first_name", "text", "first name"),
      filled("last_name", "text", "last name; the whole name if it is one column"),
      maybe("email", "text", "e-mail address"),
      maybe("phone", "text", "telephone"),
      maybe("mobile", "text", "mobile telephone"),
      maybe("gender", "code", "m or f"),
      maybe("notes", "text", "notes"),
      deleted,
      stamp,
    ],
  },
  {
    name: `${VIEW_PREFIX}tickets`,
    title: "Tickets",
    columns: [
      filled("ticket_no", "code", "KEY: number of the ticket"),
      customer,
      maybe("contact_no", "code", "number of the contact, as in svcsync_contacts"),
      filled("subject", "text", "subject"),
      maybe("body", "text", "description"),
      filled("priority", "code", "low, normal or high"),
      filled("status", "code", "open, waiting or closed"),
      maybe("tags", "text", "tags, separated by commas"),
      maybe("due_date", "moment", "when it is due, in local time"),
      deleted,
      stamp,
    ],
  },
  {
    name: `${VIEW_PREFIX}service_orders`,
    title: "Service orders",
    columns: [
      filled("order_no", "code", "KEY: number of the order"),
      customer,
      maybe("ticket_no", "code", "number of the ticket, as in svcsync_tickets"),
      maybe("reference", "text", "the customer's own reference"),
      filled("billable", "flag", "1: billed, 0: not billed"),
      deleted,
      stamp,
    ],
  },
];

/** The view that a stream reads, by the table of its `read` with or without a schema; undefined if it reads something else. */
export function viewNamed(table: string): ContractView | undefined {
  const name = table.slice(table.lastIndexOf(".") + 1).toLowerCase();
  return contract.find((view) => view.name === name);
}

/** Tables of the sample ERP. All stamps are UTC text, see {@link erpStamp}. */
export const SCHEMA = `
CREATE TABLE customers (
  customer_no TEXT PRIMARY KEY, name1 TEXT NOT NULL, name2 TEXT, short_name TEXT, status TEXT NOT NULL,
  email_domain TEXT, remarks TEXT, warning TEXT, deleted INTEGER NOT NULL DEFAULT 0, updated_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE contacts (
  customer_no TEXT NOT NULL, contact_no INTEGER NOT NULL, first_name TEXT, last_name TEXT NOT NULL, email TEXT,
  phone TEXT, mobile TEXT, gender TEXT, notes TEXT, deleted INTEGER NOT NULL DEFAULT 0, updated_at TEXT NOT NULL,
  PRIMARY KEY (customer_no, contact_no)
) WITHOUT ROWID;
CREATE TABLE tickets (
  ticket_no TEXT PRIMARY KEY, customer_no TEXT NOT NULL, contact_no INTEGER, subject TEXT NOT NULL, body TEXT,
  priority TEXT NOT NULL, status TEXT NOT NULL, tags TEXT, due_date TEXT, deleted INTEGER NOT NULL DEFAULT 0,
  updated_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE service_orders (
  order_no TEXT PRIMARY KEY, customer_no TEXT NOT NULL, ticket_no TEXT, reference TEXT, billable INTEGER NOT NULL,
  amount TEXT NOT NULL, planned_at TEXT, remarks TEXT, deleted INTEGER NOT NULL DEFAULT 0, updated_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX customers_changed ON customers (updated_at, customer_no);
CREATE INDEX contacts_changed ON contacts (updated_at, customer_no, contact_no);
CREATE INDEX tickets_changed ON tickets (updated_at, ticket_no);
CREATE INDEX service_orders_changed ON service_orders (updated_at, order_no);
`;

export type ErpTable = "customers" | "contacts" | "tickets" | "service_orders";

/** A value of a column. */
export type ErpValue = string | number | null;

export interface CustomerRow {
  readonly customer_no: string;
  readonly name1: string;
  readonly name2: string | null;
  readonly short_name: string | null;
  readonly status: "A" | "I" | "P";
  readonly email_domain: string | null;
  readonly remarks: string | null;
  readonly warning: string | null;
  readonly deleted: 0 | 1;
  readonly updated_at: string;
}

export interface ContactRow {
  readonly customer_no: string;
  readonly contact_no: number;
  readonly first_name: string | null;
  readonly last_name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly mobile: string | null;
  readonly gender: "m" | "f" | null;
  readonly notes: string | null;
  readonly deleted: 0 | 1;
  readonly updated_at: string;
}

export interface TicketRow {
  readonly ticket_no: string;
  readonly customer_no: string;
  readonly contact_no: number | null;
  readonly subject: string;
  readonly body: string | null;
  readonly priority: "low" | "normal" | "high";
  readonly status: "open" | "waiting" | "closed";
  readonly tags: string | null;
  readonly due_date: string | null;
  readonly deleted: 0 | 1;
  readonly updated_at: string;
}

export interface ServiceOrderRow {
  readonly order_no: string;
  readonly customer_no: string;
  readonly ticket_no: string | null;
  readonly reference: string | null;
  readonly billable: 0 | 1;
  readonly amount: string;
  readonly planned_at: string | null;
  readonly remarks: string | null;
  readonly deleted: 0 | 1;
  readonly updated_at: string;
}

export interface ErpRows {
  readonly customers: CustomerRow;
  readonly contacts: ContactRow;
  readonly tickets: TicketRow;
  readonly service_orders: ServiceOrderRow;
}

export const ERP_KEYS = {
  customers: ["customer_no"],
  contacts: ["customer_no", "contact_no"],
  tickets: ["ticket_no"],
  service_orders: ["order_no"],
} satisfies Record<ErpTable, string[]>;

/** A moment as the sample ERP writes it: UTC, `YYYY-MM-DD HH:MM:SS.sss`. Texts sort in the order of the moments. */
export function erpStamp(at: number): string {
  return new Date(at).toISOString().replace("T", " ").slice(0, -1);
}

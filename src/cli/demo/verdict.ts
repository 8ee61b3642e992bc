import type { Json, JsonObject } from "#model";
import type { SampleErp } from "#sandbox";
import type { ServiceReader } from "./service-reader.ts";

/** The service compared with the ERP, for one stream. */
export interface DemoResult {
  readonly stream: string;
  readonly records: number;
  readonly duplicates: number;
  readonly missing: readonly string[];
  readonly different: readonly string[];
}

/** Rows by key with their expected fields, stated here a second time, independently of the sync file. */
type Rows = readonly (readonly [string, JsonObject])[];

/**
 * Compares the whole service with the whole ERP. Rows flagged as deleted, and rows that belong to one, need not exist
 * there; `refused` are keys that the service does not accept.
 */
export async function judge(
  erp: SampleErp,
  service: ServiceReader,
  refused: ReadonlySet<string>,
): Promise<DemoResult[]> {
  const gone = new Set(erp.all("customers").flatMap((row) => (row.deleted ? [row.customer_no] : [])));
  const isExcused = (row: { customer_no: string }) => gone.has(row.customer_no);
  const statuses = names(await service.all("customerStatus"));
  const ticketStatuses = names(await service.all("ticketStatus"));
  const priorities = names(await service.all("priority"));
  const customers = await service.all("customer");
  const contacts = await service.all("customerContact");
  const tickets = await service.all("ticket");
  const documents = await service.all("svcDocument");
  const customerNo = new Map(customers.map((record) => [record["id"], text(record["customerId"])]));
  const ticketNo = new Map(tickets.map((record) => [record["id"], text(record["erpReferenceNumber"])]));

  const customerRows = erp.all("customers").filter(({ deleted }) => !deleted);
  const contactRows = erp.all("contacts").filter((row) => !row.deleted && !isExcused(row));
  const ticketRows = erp.all("tickets").filter((row) => !row.deleted && !isExcused(row));
  const goneTickets = new Set(erp.all("tickets").flatMap((row) => (row.deleted ? [row.ticket_no] : [])));
  const heldTickets = new Set(erp.all("tickets").flatMap((row) => (isExcused(row) ? [row.ticket_no] : [])));
  const orderRows = erp
    .all("service_orders")
    .filter((row) => !row.deleted && !isExcused(row) && !heldTickets.has(row.ticket_no ?? ""));
  const letters: Record<string, string> = { A: "Active", I: "Inactive", P: "Prospect" };

  return [
    compare(
      "customers",
      customerRows.map((row) => [
        row.customer_no,
        { name: joined(" ", row.name1, row.name2), status: letters[row.status]!, shortName: row.short_name },
      ]),
      customers.map((record) => [
        text(record["customerId"]),
        {
          name: record["name"]!,
          status: statuses.get(record["customerStatus"])!,
          shortName: record["shortName"] ?? null,
        },
      ]),
      refused,
    ),
    compare(
      "contacts",
      counted(
        contactRows.map((row) => [
          `${row.customer_no} ${joined(" ", row.first_name, row.last_name)} ${row.email ?? ""}`,
          { telephone: row.phone, mobile: row.mobile, email: row.email },
        ]),
      ),
      counted(
        contacts.map((record) => [
          `${customerNo.get(record["customer"])} ${text(record["name"])} ${text(record["email"])}`,
          {
            telephone: record["telephone"] ?? null,
            mobile: record["mobile"] ?? null,
            email: record["email"] ?? null,
          },
        ]),
      ),
      refused,
    ),
    compare(
      "tickets",
      ticketRows.map((row) => [
        row.ticket_no,
        { customer: row.customer_no, status: row.status, priority: row.priority, firstLine: row.subject },
      ]),
      tickets.map((record) => [
        text(record["erpReferenceNumber"]),
        {
          customer: customerNo.get(record["customer"]) ?? null,
          status: ticketStatuses.get(record["ticketStatus"])!.toLowerCase(),
          priority: priorities.get(record["priority"])!.toLowerCase(),
          firstLine: text(record["description"]).split("\n", 1).join(),
        },
      ]),
      refused,
    ),
    compare(
      "orders",
      orderRows.map((row) => [
        row.order_no,
        {
          customer: row.customer_no,
          ticket: goneTickets.has(row.ticket_no ?? "") ? null : row.ticket_no,
          reference: row.reference,
          billable: row.billable === 1,
        },
      ]),
      documents.map((record) => [
        text(record["erpReferenceNumber"]),
        {
          customer: customerNo.get(record["customer"]) ?? null,
          ticket: ticketNo.get(record["ticket"]) ?? null,
          reference: record["referenceNumber"] ?? null,
          billable: record["billable"] ?? null,
        },
      ]),
      refused,
    ),
  ];
}

function compare(stream: string, expected: Rows, found: Rows, refused: ReadonlySet<string>): DemoResult {
  const byKey = new Map(found);
  const missing: string[] = [];
  const different: string[] = [];
  for (const [key, fields] of expected) {
    if (refused.has(key)) continue;
    const actual = byKey.get(key);
    if (!actual) missing.push(key);
    else
      for (const [name, value] of Object.entries(fields))
        if (!isSame(value, actual[name]))
          different.push(`${key}: ${name} is ${JSON.stringify(actual[name])}, the ERP says ${JSON.stringify(value)}`);
  }
  return { stream, records: found.length, duplicates: found.length - byKey.size, missing, different };
}

/** ERP rows may be identical; then as many are expected as there are. */
function counted(rows: Rows): Rows {
  const seen = new Map<string, number>();
  return rows.map(([key, fields]) => {
    const number = (seen.get(key) ?? 0) + 1;
    seen.set(key, number);
    return [number === 1 ? key : `${key} (${number})`, fields];
  });
}

/** The service does not distinguish an empty text from none. */
function isSame(expected: Json | undefined, found: Json | undefined): boolean {
  return expected === found || (isEmpty(expected) && isEmpty(found));
}

function isEmpty(value: Json | undefined): boolean {
  return value === null || value === undefined || value === "";
}

function joined(separator: string, ...parts: (string | null)[]): string {
  return parts
    .filter((part) => part !== null && part !== "")
    .join(separator)
    .trim();
}

function text(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function names(records: readonly JsonObject[]): Map<Json | undefined, string> {
  return new Map(records.map((record) => [record["id"], text(record["name"])]));
}

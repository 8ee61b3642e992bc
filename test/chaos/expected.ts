import { Temporal } from "temporal-polyfill";
import type { Json, JsonObject } from "#model";
import type { CustomerRow, ServiceOrderRow, TicketRow } from "#sandbox";
import { contactKey, ownerOf, tagsOf, type ErpActor } from "./erp-actor.ts";
import { keyOf, MergedTickets } from "./merged.ts";
import type { Merger } from "./merger.ts";
import { FOREIGN_TAGS, type World } from "./rig.ts";
import { readAll } from "./service-reader.ts";

/** What one stream should look like in the service, written down a second time, past the sync file. */
export interface Expectation {
  readonly stream: string;
  /** Key to the fields it must show; keys that must be there. */
  readonly live: ReadonlyMap<string, JsonObject>;
  /** Key to fields, of records that need not be there, but must look so if they are. */
  readonly retired: ReadonlyMap<string, JsonObject>;
  /** The service's records by key, in the same words. */
  readonly found: readonly { readonly id: number; readonly key: string; readonly fields: JsonObject }[];
  /** Tags that stayed because the store that knew of them was lost. */
  readonly leftOverTags?: number;
  /** Key to the key of the other record of the ERP that people merged it into. A person has to decide about it. */
  readonly takenBy?: ReadonlyMap<string, string>;
  /** Keys of records that wait for a parent which never comes. Whether they were merged is not looked at before. */
  readonly stuck?: ReadonlySet<string>;
}

/**
 * Reads ERP and service and says what should be where. After the store was lost or put back (`wasOlder`) a ticket may keep tags
 * that the ERP once gave it: svcsync cannot know any more that they were not put there by a person. `nameOf`: what the sync file
 * makes of a customer's names.
 */
export async function expectations(
  { erp, sandbox: { url } }: Pick<World, "erp" | "sandbox">,
  { ever }: Pick<ErpActor, "ever">,
  { byHand }: Pick<Merger, "byHand">,
  wasOlder: boolean,
  nameOf: (row: CustomerRow) => string = ({ name1, name2 }) => joined(" ", name1, name2),
): Promise<Expectation[]> {
  const names = new Map<Json | undefined, string>();
  for (const resource of ["customerStatus", "ticketStatus", "priority", "tag"])
    for (const record of await readAll(url, resource)) names.set(record["id"], text(record["name"]));
  const customers = await readAll(url, "customer");
  const contacts = await readAll(url, "customerContact");
  const tickets = await readAll(url, "ticket");
  const documents = await readAll(url, "svcDocument");
  const customerNo = new Map(customers.map((record) => [record["id"], text(record["customerId"])]));
  const contactNo = new Map(contacts.map((record) => [record["id"], keyInInfo(record)]));
  const merged = new MergedTickets(tickets);

  const customerRows = erp.all("customers");
  const contactRows = erp.all("contacts");
  const alive = new Set(customerRows.flatMap((row) => (row.deleted ? [] : [row.customer_no])));
  // A customer that the ERP deleted before svcsync ever saw it never comes, and its children wait, which `status` shows.
  const reachable = new Set([...alive, ...customerNo.values()]);
  // After a store was lost, one that the service has is not known to be the ERP's before its customer comes.
  const neverComes = new Set(
    contactRows.flatMap((row) => (row.deleted || reachable.has(ownerOf(row)) ? [] : [contactKey(row)])),
  );
  const waits = ({ customer_no, contact_no }: TicketRow) =>
    !reachable.has(customer_no) || (contact_no !== null && neverComes.has(contactKey({ customer_no, contact_no })));
  const stuck = new Set(erp.all("tickets").flatMap((row) => (row.deleted || !waits(row) ? [] : [row.ticket_no])));
  const aliveTickets = new Set(erp.all("tickets").flatMap((row) => (row.deleted ? [] : [row.ticket_no])));
  const takenBy = new Map(
    erp.all("tickets").flatMap((row) => {
      const other = row.deleted ? undefined : merged.takenBy(row.ticket_no, (key) => aliveTickets.has(key));
      return other === undefined ? [] : [[row.ticket_no, other] as const];
    }),
  );
  const liveTickets = new Set(
    erp.all("tickets").flatMap((row) => (row.deleted || stuck.has(row.ticket_no) ? [] : [row.ticket_no])),
  );
  const orders = (isMeant: (row: ServiceOrderRow) => boolean) =>
    new Map(
      erp
        .all("service_orders")
        .filter((row) => !row.deleted && reachable.has(row.customer_no) && isMeant(row))
        .map((row) => [row.order_no, orderFields(row, liveTickets, merged)]),
    );
  const liveContacts = new Set(contactRows.flatMap((row) => (row.deleted ? [] : [contactKey(row)])));
  const wantedTags = new Map(erp.all("tickets").map((row) => [row.ticket_no, tagsOf(row.tags)]));
  let leftOverTags = 0;
  const isMeant = (id: number, ticket: string, tag: string) => {
    const from = [...(wasOlder ? [ticket] : []), ...merged.othersIn(id)];
    const isLeftOver =
      !wantedTags.get(ticket)?.includes(tag) && from.some((key) => ever.tags.get(key)?.has(tag) === true);
    if (isLeftOver) leftOverTags += 1;
    return !isLeftOver;
  };
  // One that a person made has no key of the ERP, until a ticket of the ERP was merged into it and is written again.
  const isOurs = (record: JsonObject) =>
    !merged.isMerged(Number(record["id"])) &&
    !(byHand.has(Number(record["id"])) && keyOf(record["erpReferenceNumber"]) === "");
  const letters: Record<string, string> = { A: "Active", I: "Inactive", P: "Prospect" };

  const all: Expectation[] = [
    {
      stream: "customers",
      live: new Map(
        customerRows.flatMap((row) =>
          row.deleted
            ? []
            : [
                [
                  row.customer_no,
                  {
                    name: nameOf(row),
                    status: letters[row.status]!,
                    shortName: blank(row.short_name),
                    warning: blank(row.warning),
                    domain: blank(row.email_domain),
                  },
                ],
              ],
        ),
      ),
      retired: retired(ever.customers, alive, { status: "Inactive" }),
      found: customers.map((record) => ({
        id: Number(record["id"]),
        key: text(record["customerId"]),
        fields: {
          name: text(record["name"]),
          status: names.get(record["customerStatus"]) ?? null,
          shortName: blank(record["shortName"]),
          warning: blank(record["warning"]),
          domain: blank(record["wildcardAddress"]),
        },
      })),
    },
    {
      stream: "contacts",
      live: new Map(
        contactRows.flatMap((row) =>
          row.deleted || !reachable.has(ownerOf(row))
            ? []
            : [
                [
                  contactKey(row),
                  {
                    customer: ownerOf(row),
                    name: joined(" ", row.first_name, row.last_name),
                    lastName: row.last_name,
                    email: blank(row.email),
                    telephone: blank(row.phone),
                    gender: row.gender === "m" ? "MALE" : row.gender === "f" ? "FEMALE" : "UNKNOWN",
                    info: joined(" ", `#${contactKey(row)}`, row.notes),
                  },
                ],
              ],
        ),
      ),
      // One whose new customer never comes stays with the one of before.
      retired: new Map(
        contactRows.flatMap((row) => (row.deleted || reachable.has(ownerOf(row)) ? [] : [[contactKey(row), {}]])),
      ),
      found: contacts.map((record) => ({
        id: Number(record["id"]),
        key: keyInInfo(record),
        fields: {
          customer: customerNo.get(record["customer"]) ?? null,
          name: text(record["name"]),
          lastName: text(record["lastName"]),
          email: blank(record["email"]),
          telephone: blank(record["telephone"]),
          gender: record["gender"] ?? null,
          info: text(record["info"]),
        },
      })),
    },
    {
      stream: "tickets",
      live: new Map(
        erp.all("tickets").flatMap((row) =>
          row.deleted || waits(row) || takenBy.has(row.ticket_no)
            ? []
            : [
                [
                  row.ticket_no,
                  {
                    customer: row.customer_no,
                    ...contactOf(row.customer_no, row.contact_no, liveContacts),
                    description: joined("\n\n", row.subject, row.body),
                    status: row.status,
                    priority: row.priority,
                    tags: tagsOf(row.tags).toSorted().join(),
                    due: instant(row.due_date),
                  },
                ],
              ],
        ),
      ),
      retired: new Map<string, JsonObject>([
        ...retired(ever.tickets, aliveTickets, { status: "closed" }),
        ...erp.all("tickets").flatMap((row) => (!row.deleted && waits(row) ? [[row.ticket_no, {}] as const] : [])),
      ]),
      found: tickets.filter(isOurs).map((record) => ({
        id: Number(record["id"]),
        key: text(record["erpReferenceNumber"]),
        fields: {
          customer: customerNo.get(record["customer"]) ?? null,
          contact: contactNo.get(record["customerContact"]) ?? null,
          description: text(record["description"]),
          status: names.get(record["ticketStatus"])?.toLowerCase() ?? null,
          priority: names.get(record["priority"])?.toLowerCase() ?? null,
          tags: ourTags(record["tags"], names)
            .filter((tag) => isMeant(Number(record["id"]), text(record["erpReferenceNumber"]), tag))
            .join(),
          due: record["dueDate"] ? Date.parse(text(record["dueDate"])) : null,
        },
      })),
    },
    {
      stream: "orders",
      live: orders((row) => !stuck.has(row.ticket_no ?? "")),
      // An order that came while its ticket was deleted is there without it; one that comes later waits for the ticket.
      retired: orders((row) => stuck.has(row.ticket_no ?? "")),
      found: documents.map((record) => ({
        id: Number(record["id"]),
        key: text(record["erpReferenceNumber"]),
        fields: {
          customer: customerNo.get(record["customer"]) ?? null,
          reference: blank(record["referenceNumber"]),
          billable: record["billable"] ?? null,
          ticket: record["ticket"] ?? null,
        },
      })),
    },
  ];
  return all.map((each) => (each.stream === "tickets" ? { ...each, leftOverTags, takenBy, stuck } : each));
}

/** A ticket that is gone may stay named in the service or not: only one that is there is looked at. */
function orderFields(
  row: ServiceOrderRow,
  liveTickets: ReadonlySet<string>,
  merged: Pick<MergedTickets, "ticketOf">,
): JsonObject {
  return {
    customer: row.customer_no,
    reference: blank(row.reference),
    billable: row.billable === 1,
    ...(row.ticket_no === null || liveTickets.has(row.ticket_no)
      ? { ticket: row.ticket_no === null ? null : (merged.ticketOf(row.ticket_no) ?? row.ticket_no) }
      : {}),
  };
}

/** Keys that the ERP once had and no longer has. */
function retired(ever: ReadonlySet<string>, alive: ReadonlySet<string>, fields: JsonObject): Map<string, JsonObject> {
  return new Map([...ever].filter((key) => !alive.has(key)).map((key) => [key, fields]));
}

/** A contact that is gone may stay named in the service or not: only one that is there is looked at. */
function contactOf(customer_no: string, contact_no: number | null, live: ReadonlySet<string>): JsonObject {
  if (contact_no === null) return { contact: null };
  const key = contactKey({ customer_no, contact_no });
  return live.has(key) ? { contact: key } : {};
}

/** The key of a contact, from the service alone. */
export function keyInInfo(record: JsonObject): string {
  return /^#(\S+)/.exec(text(record["info"]))?.[1] ?? `no key in contact ${text(record["id"])}`;
}

function ourTags(value: Json | undefined, names: ReadonlyMap<Json | undefined, string>): string[] {
  const found = Array.isArray(value) ? value.map((id) => names.get(id) ?? `tag ${JSON.stringify(id)}`) : [];
  return found.filter((name) => !FOREIGN_TAGS.includes(name)).toSorted();
}

/** The moment at which a day begins in Berlin, in epoch milliseconds. */
function instant(day: string | null): number | null {
  if (day === null) return null;
  return Temporal.PlainDate.from(day).toZonedDateTime("Europe/Berlin").epochMilliseconds;
}

export function joined(separator: string, ...parts: (string | null)[]): string {
  return parts
    .filter((part) => part !== null && part !== "")
    .join(separator)
    .trim();
}

/** The service keeps no difference between an empty text and none. */
function blank(value: Json | undefined): Json {
  return value === undefined || value === "" ? null : value;
}

function text(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

import type { Served } from "./served.ts";

/** One mapping for every ERP: only the names of columns differ. */
export function syncText({ source, read, column, parents, contactKey }: Served): string {
  const c = column;
  const active = "{ A: Active, I: Inactive, P: Prospect }";
  return `
sources:
  erp: ${source}
streams:
  customers:
    source: erp
    read: ${read("customers")}
    resource: customer
    match: [customerId]
    fields:
      customerId: ${c("customer_no")}
      name: { expr: "$trim(${c("name1")} & ' ' & ${c("name2")})" }
      shortName: ${c("short_name")}
      wildcardAddress: ${c("email_domain")}
      warning: ${c("warning")}
      info: ${c("remarks")}
      customerStatus: { lookup: customerStatus, by: name, value: { from: ${c("status")}, map: ${active} } }
  contacts:
    source: erp
    read: ${read("contacts")}
    resource: customerContact
    fields:
      customer: { ref: customers, key: ${parents.customer} }
      name: { expr: "$trim(${c("first_name")} & ' ' & ${c("last_name")})" }
      lastName: ${c("last_name")}
      email: ${c("email")}
      telephone: ${c("phone")}
      gender: { from: ${c("gender")}, map: { m: MALE, f: FEMALE }, default: UNKNOWN }
      info: { expr: "$trim(${contactKey} & ' ' & ${c("notes")})" }
  tickets:
    source: erp
    read: ${read("tickets")}
    resource: ticket
    match: [erpReferenceNumber]
    fields:
      erpReferenceNumber: ${c("ticket_no")}
      customer: { ref: customers, key: ${parents.customer} }
      customerContact: { ref: contacts, key: ${parents.contact} }
      description: { expr: "$join([${c("subject")}, ${c("body")}][$ != ''], '\\n\\n')" }
      priority: { lookup: priority, value: { from: ${c("priority")}, map: { low: Low, normal: Normal, high: High } } }
      ticketStatus: { lookup: ticketStatus, value: { from: ${c("status")}, map: { open: Open, waiting: Waiting, closed: Closed } } }
      tags: { tags: ${c("tags")}, separator: "," }
      dueDate: { expr: "$utc(${c("due_date")}, 'Europe/Berlin')" }
  orders:
    source: erp
    read: ${read("service_orders")}
    resource: svcDocument
    match: [erpReferenceNumber]
    fields:
      erpReferenceNumber: { from: ${c("order_no")}, own: create }
      customer: { ref: customers, key: ${parents.customer} }
      ticket: { ref: tickets, key: ${parents.ticket} }
      referenceNumber: ${c("reference")}
      billable: { from: ${c("billable")}, map: { 1: true, 0: false } }
`;
}

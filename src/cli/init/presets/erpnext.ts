import { fileHead, type Preset } from "../preset.ts";

const title = "ERPNext";

export const erpnext: Preset = {
  name: "erpnext",
  title: "ERPNext (Frappe)",
  variables: [
    { name: "ERP_URL", about: "Address of the site", example: "https://erp.example" },
    { name: "ERP_KEY", about: "API key of a user, from the user's settings" },
    { name: "ERP_SECRET", about: "API secret that belongs to it", isSecret: true },
  ],
  syncFile: `${fileHead(title)}
sources:
  erp:
    adapter: rest
    preset: erpnext
    url: "\${ERP_URL}"
    auth: { kind: header, name: Authorization, value: "token \${ERP_KEY}:\${ERP_SECRET}" }
    # The zone of the site: stamps carry none.
    timezone: Europe/Berlin

streams:
  # Followed by modified. Deletions come from "Deleted Document"; a rename looks like a deletion and a new record.
  customers:
    source: erp
    read: { table: Customer }
    resource: customer
    match: [customerId]
    fields:
      customerId: name
      name: customer_name
      info: { from: customer_details, own: create }
      customerStatus: { lookup: customerStatus, value: { from: disabled, map: { 0: Active, 1: Inactive } } }
    deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }

  contacts:
    source: erp
    read:
      table: Contact
      # The child table links tells whose contact it is. Frappe 14 and later join it when its fields are named: that
      # depends on your version. "svcsync check" and "svcsync peek contacts" show whether link_name arrives.
      fields: [full_name, first_name, last_name, email_id, phone, mobile_no, gender, links.link_doctype, links.link_name]
    resource: customerContact
    match:
      - [customer, name, email]
      - { fields: [customer, name], compare: normalized, shared: true }
    # Contacts of suppliers and of leads stay out.
    when: "link_doctype = 'Customer'"
    fields:
      customer: { ref: customers, key: link_name }
      name: full_name
      firstName: first_name
      lastName: last_name
      email: email_id
      telephone: phone
      mobile: mobile_no
      gender: { from: gender, map: { Male: MALE, Female: FEMALE }, default: UNKNOWN }
    # Tickets and service records still name people who have left: they stay.
    deleted: { ignore: true }

  tickets:
    source: erp
    read: { table: Issue }
    resource: ticket
    match: [erpReferenceNumber]
    when: "$exists(customer) and customer != ''"
    fields:
      erpReferenceNumber: name
      customer: { ref: customers, key: customer }
      customerContact: { ref: contacts, key: contact, optional: true }
      # ERPNext keeps descriptions as HTML. A ticket has no title: the first line of its description serves as one.
      description: { expr: "$join([subject, $trim($replace(description ?? '', /<[^<>]+>/, ' '))][$ != ''], '\\n\\n')" }
      priority: { lookup: priority, value: { from: priority, map: { Low: Low, Medium: Normal, High: High }, default: Normal } }
      ticketStatus:
        lookup: ticketStatus
        value:
          from: status
          map: { Open: Open, Replied: Waiting, On Hold: Waiting, Resolved: Closed, Closed: Closed }
    deleted: { set: { ticketStatus: { lookup: ticketStatus, value: Closed } } }

  # A service order is a Maintenance Visit in ERPNext.
  orders:
    source: erp
    read: { table: Maintenance Visit }
    resource: svcDocument
    match: [erpReferenceNumber]
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { from: name, own: create }
      customer: { ref: customers, key: customer }
      customerContact: { ref: contacts, key: contact_person, optional: true }
      referenceNumber: maintenance_type
      # The service has no field for the state of an order. This one shows it to the people there.
      externalReferenceNumber: { from: docstatus, map: { 0: Draft, 1: Submitted } }
    # A record may carry people's hours: a person must cancel it.
    deleted: { when: "docstatus = 2", set: { externalReferenceNumber: Cancelled } }
`,
};

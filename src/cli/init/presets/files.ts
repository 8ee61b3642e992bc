import { fileHead, type Preset } from "../preset.ts";

const title = "files that the ERP drops into a folder";

export const files: Preset = {
  name: "files",
  title: "files (CSV, JSON, XML) in a folder or on an SFTP server",
  variables: [{ name: "ERP_FOLDER", about: "Folder that the ERP drops its files into", example: "/data/erp" }],
  syncFile: `${fileHead(title)}
sources:
  erp:
    adapter: files
    # Files are claimed by moving them to processing/, and end in done/ or failed/ below this folder.
    folder: "\${ERP_FOLDER}"
    timezone: Europe/Berlin
    # On an SFTP server:
    # sftp: { host: sftp.example, username: svcsync, password: "\${ERP_PASSWORD}", hostKey: "<as ssh-keygen -l shows it>" }

streams:
  # The ERP should write under another name and rename at the end; otherwise a file counts as complete once it has not
  # changed for stableFor. kind: full says that a file holds every record, so that one missing in it is gone (a file that is
  # more than shrink percent shorter than the last one tells no deletions); kind: delta says that it holds changes alone.
  customers:
    source: erp
    read:
      files: customers_*.csv
      kind: full
      format: csv
      key: customer_no
      # Files with umlauts from older Windows programs: cp1252.
      encoding: utf8
      separator: ";"
      columns: [customer_no, name, short_name, status]
    resource: customer
    match: [customerId]
    fields:
      customerId: customer_no
      name: name
      shortName: short_name
      customerStatus: { lookup: customerStatus, value: { from: status, map: { A: Active, I: Inactive } } }
    deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }

  contacts:
    source: erp
    read:
      files: contacts_*.csv
      kind: full
      format: csv
      key: [customer_no, contact_no]
      columns: [customer_no, contact_no, first_name, last_name, email, phone, mobile]
    resource: customerContact
    match:
      - [customer, name, email]
      - { fields: [customer, name], compare: normalized, shared: true }
    fields:
      customer: { ref: customers, key: customer_no }
      name: { expr: "$trim(first_name & ' ' & last_name)" }
      firstName: first_name
      lastName: last_name
      email: email
      telephone: phone
      mobile: mobile
    # Tickets and service records still name people who have left: they stay.
    deleted: { ignore: true }

  tickets:
    source: erp
    read:
      files: tickets_*.csv
      kind: delta
      format: csv
      key: ticket_no
      columns: [ticket_no, customer_no, contact_no, subject, body, priority, status, due_date]
      dates: { due_date: DD.MM.YYYY }
    resource: ticket
    match: [erpReferenceNumber]
    fields:
      erpReferenceNumber: ticket_no
      customer: { ref: customers, key: customer_no }
      # An empty contact_no names no contact, and nothing waits.
      customerContact: { ref: contacts, key: [customer_no, contact_no], optional: true }
      # A ticket has no title: the first line of its description serves as one.
      description: { expr: "$join([subject, body][$ != ''], '\\n\\n')" }
      priority: { lookup: priority, value: { from: priority, map: { low: Low, normal: Normal, high: High } } }
      ticketStatus: { lookup: ticketStatus, value: { from: status, map: { open: Open, waiting: Waiting, closed: Closed } } }
      dueDate: { expr: "$utc(due_date, 'Europe/Berlin')" }

  orders:
    source: erp
    read:
      files: service_orders_*.csv
      kind: delta
      format: csv
      key: order_no
      columns: [order_no, customer_no, ticket_no, reference, billable]
    resource: svcDocument
    match: [erpReferenceNumber]
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { from: order_no, own: create }
      customer: { ref: customers, key: customer_no }
      ticket: { ref: tickets, key: ticket_no, optional: true }
      referenceNumber: reference
      billable: { from: billable, map: { 1: true, 0: false } }
`,
};

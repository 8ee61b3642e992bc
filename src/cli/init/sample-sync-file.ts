/**
 * The sync file of the sample ERP, as it is shipped in config/sync.yaml; a test compares the two. The demo uses this copy, so
 * that it runs whatever a user has made of the file, and `svcsync init` tells by it whether the file is still the shipped one.
 */
export const sampleSyncFile = `# yaml-language-server: $schema=sync.schema.json
#
# What flows from the ERP into the service.
#
# This file maps the sample ERP of \`npm run demo\`; take it as the beginning of your own. \`svcsync check\` checks it whole and
# names every problem with its line. Every word is explained in docs/sync-file.md. Secrets stay outside: \${NAME} is taken
# from the environment.
#
# Changing this file is safe: every record is mapped again, and only what then differs is sent.

sources:
  # One entry for each ERP. Only read, never written to.
  erp:
    adapter: sql
    url: "\${ERP_URL}"
    # The zone of stamps that carry none: the clock of the ERP. The sample ERP writes UTC.
    timezone: UTC

streams:
  # ── Customers ─────────────────────────────────────────────────────────────────────────────────────────────────────────
  customers:
    source: erp
    # The column in \`changed\` moves with every change of a row. Each poll looks back by \`overlap\`, so that a transaction
    # that takes a while to commit is not missed.
    read: { table: customers, key: customer_no, changed: updated_at, overlap: 5m }
    resource: customer

    # The natural key. A customer that the service already has under this number is adopted, not created a second time.
    match: [customerId]

    # svcsync owns these fields and no others: whatever else people enter in the service stays.
    fields:
      # A plain name is a column.
      customerId: customer_no
      shortName: short_name
      wildcardAddress: email_domain
      warning: warning

      # What needs more is a JSONata expression. NULL columns are left out in it, so no "null" gets into a name.
      name: { expr: "$trim(name1 & ' ' & name2)" }

      # The service wants the id of one of its own records: it is looked up by name. \`map\` turns the ERP's letters into
      # those names; a letter that is not in the table parks the record instead of guessing.
      customerStatus:
        lookup: customerStatus
        by: name
        value: { from: status, map: { A: Active, I: Inactive, P: Prospect } }

      # Written when the customer is created and never again: afterwards these notes belong to the service's users.
      info: { from: remarks, own: create }

    # A customer is never deleted, its history hangs on it. The row's flag makes it inactive.
    deleted:
      when: "deleted = 1"
      set: { customerStatus: { lookup: customerStatus, by: name, value: Inactive } }

  # ── Contacts ──────────────────────────────────────────────────────────────────────────────────────────────────────────
  contacts:
    source: erp
    # Two columns together name a contact: number 1 exists at every customer.
    read: { table: contacts, key: [customer_no, contact_no], changed: updated_at, overlap: 5m }
    resource: customerContact

    # Tried in order. A rule of which a part is empty does not apply, so contacts without an e-mail address are found by
    # the second one. The address alone would be no key: whole departments share one.
    match:
      - [customer, name, email]
      - { fields: [customer, name], compare: normalized, shared: true }

    fields:
      # The customer's id in the service. A contact waits until its customer is there.
      customer: { ref: customers, key: customer_no }
      name: { expr: "$trim(first_name & ' ' & last_name)" }
      firstName: first_name
      lastName: last_name
      email: email
      telephone: phone
      mobile: mobile
      # \`default\` is taken for NULL, for empty text and for what is not in \`map\`.
      gender: { from: gender, map: { m: MALE, f: FEMALE }, default: UNKNOWN }
      info: notes

    # Tickets and service records still name people who have left: they stay.
    deleted: { when: "deleted = 1", ignore: true }

  # ── Tickets ───────────────────────────────────────────────────────────────────────────────────────────────────────────
  tickets:
    source: erp
    read: { table: tickets, key: ticket_no, changed: updated_at, overlap: 5m }
    resource: ticket
    match: [erpReferenceNumber]

    fields:
      erpReferenceNumber: ticket_no
      customer: { ref: customers, key: customer_no }
      # As many columns as the contacts' key has, in its order. contact_no is NULL where no contact is named; the field
      # is then empty and nothing waits.
      # Without \`optional\` a ticket would wait for a person who left before svcsync ever saw them.
      customerContact: { ref: contacts, key: [customer_no, contact_no], optional: true }

      # A ticket has no title: the first line of its description serves as one.
      description: { expr: "$join([subject, body][$ != ''], '\\n\\n')" }

      priority: { lookup: priority, value: { from: priority, map: { low: Low, normal: Normal, high: High } } }
      ticketStatus: { lookup: ticketStatus, value: { from: status, map: { open: Open, waiting: Waiting, closed: Closed } } }

      # Our tags are added and removed one by one: those that people put on the ticket stay.
      tags: { tags: tags, separator: "," }

      # The service wants instants in UTC; the ERP has dates as its clock shows them.
      dueDate: { expr: "$utc(due_date, 'Europe/Berlin')" }

    deleted: { when: "deleted = 1", set: { ticketStatus: { lookup: ticketStatus, value: Closed } } }

  # ── Service orders become service records ─────────────────────────────────────────────────────────────────────────────
  orders:
    source: erp
    read: { table: service_orders, key: order_no, changed: updated_at, overlap: 5m }
    resource: svcDocument
    match: [erpReferenceNumber]

    # A service record has no field for the ERP's amount, its planned date or its remarks: prices are the service's own,
    # plans belong to its tasks. Where a tenant has custom fields for them, \`customFields.<id or name>: amount\` fills one.
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { from: order_no, own: create }
      customer: { ref: customers, key: customer_no }
      ticket: { ref: tickets, key: ticket_no, optional: true }
      referenceNumber: reference
      billable: { from: billable, map: { 1: true, 0: false } }

    # A record may carry people's hours: a person must cancel it.
    deleted: { when: "deleted = 1", ignore: true }
`;

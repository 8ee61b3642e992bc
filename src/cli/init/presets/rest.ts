import { fileHead, type Preset } from "../preset.ts";

const title = "a JSON API";

export const rest: Preset = {
  name: "rest",
  title: "a JSON API (REST)",
  variables: [
    { name: "ERP_URL", about: "Address that the paths of the lists hang on", example: "https://erp.example/api/v1/" },
    { name: "ERP_TOKEN", about: "Token, sent as Authorization: Bearer", isSecret: true },
  ],
  syncFile: `${fileHead(title)}
# Paths, parameters and members below are examples. Put your API's own in; src/sources/rest/README.md explains each word. The
# lists here are asked for as GET customers?updated_from=…&sort=updated_at&page=1&per_page=200 and answer
# { "data": [{ "id": 7, "updated_at": "2026-01-31T08:00:00Z", … }] }; GET customers/7 answers { "data": { "id": 7, … } }, or 404.

sources:
  erp:
    adapter: rest
    url: "\${ERP_URL}"
    # Also { kind: basic, … }, { kind: header, name: X-Api-Key, value: … }, { kind: oauth, … } and { kind: login, … }.
    auth: { kind: bearer, token: "\${ERP_TOKEN}" }

streams:
  # Without a stamp leave changed, range and orderByChanged out: every poll then reads the whole list. Records that are no
  # longer in a list are found by a sweep.
  customers:
    source: erp
    read:
      path: customers
      rows: data
      key: id
      changed: updated_at
      range: { updated_from: "{from}" }
      orderByChanged: { sort: updated_at }
      orderByKey: { sort: id }
      paging: { kind: page, parameter: page, sizeParameter: per_page, size: 200 }
      one: { path: "customers/{key}", row: data }
    resource: customer
    match: [customerId]
    fields:
      customerId: number
      name: name
      customerStatus: { lookup: customerStatus, value: { from: active, map: { true: Active, false: Inactive } } }
    deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }

  contacts:
    source: erp
    read:
      path: contacts
      rows: data
      key: id
      changed: updated_at
      range: { updated_from: "{from}" }
      orderByChanged: { sort: updated_at }
      orderByKey: { sort: id }
      paging: { kind: page, parameter: page, sizeParameter: per_page, size: 200 }
      one: { path: "contacts/{key}", row: data }
    resource: customerContact
    match:
      - [customer, name, email]
      - { fields: [customer, name], compare: normalized, shared: true }
    fields:
      # The customer's key in the ERP; a contact waits until its customer is in the service.
      customer: { ref: customers, key: customer_id }
      name: { expr: "$trim(first_name & ' ' & last_name)" }
      email: email
      telephone: phone
    # Tickets and service records still name people who have left: they stay.
    deleted: { ignore: true }

  tickets:
    source: erp
    read:
      path: tickets
      rows: data
      key: id
      changed: updated_at
      range: { updated_from: "{from}" }
      orderByChanged: { sort: updated_at }
      orderByKey: { sort: id }
      paging: { kind: page, parameter: page, sizeParameter: per_page, size: 200 }
      one: { path: "tickets/{key}", row: data }
    resource: ticket
    match: [erpReferenceNumber]
    fields:
      erpReferenceNumber: number
      customer: { ref: customers, key: customer_id }
      # A member of a member is a path.
      customerContact: { ref: contacts, key: contact.id, optional: true }
      # A ticket has no title: the first line of its description serves as one.
      description: { expr: "$join([title, description][$ != ''], '\\\\n\\\\n')" }
      priority: { lookup: priority, value: { from: priority, map: { low: Low, normal: Normal, high: High } } }
      ticketStatus: { lookup: ticketStatus, value: { from: status, map: { open: Open, waiting: Waiting, closed: Closed } } }
    deleted: { set: { ticketStatus: { lookup: ticketStatus, value: Closed } } }

  orders:
    source: erp
    read:
      path: orders
      rows: data
      key: id
      changed: updated_at
      range: { updated_from: "{from}" }
      orderByChanged: { sort: updated_at }
      orderByKey: { sort: id }
      paging: { kind: page, parameter: page, sizeParameter: per_page, size: 200 }
      one: { path: "orders/{key}", row: data }
    resource: svcDocument
    match: [erpReferenceNumber]
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { from: number, own: create }
      customer: { ref: customers, key: customer_id }
      referenceNumber: reference
      # The service has no field for the state of an order. This one shows it to the people there.
      externalReferenceNumber: { from: status, map: { open: Open, done: Done, cancelled: Cancelled } }
    # A record may carry people's hours: a person must cancel it.
    deleted: { when: "status = 'cancelled'", set: { externalReferenceNumber: Cancelled } }
`,
};

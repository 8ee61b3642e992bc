import { fileHead, type Preset } from "../preset.ts";

const title = "Tryton";

export const tryton: Preset = {
  name: "tryton",
  title: "Tryton (JSON-RPC)",
  variables: [
    {
      name: "ERP_URL",
      about: "Address of the server with the database's name",
      example: "https://tryton.example/company/",
    },
    { name: "ERP_USER", about: "User name" },
    { name: "ERP_PASSWORD", about: "Password", isSecret: true },
  ],
  syncFile: `${fileHead(title)}
sources:
  erp:
    adapter: rest
    preset: tryton
    url: "\${ERP_URL}"
    # The user needs a company and, for complaints and sales, the group Sales.
    auth: { kind: basic, username: "\${ERP_USER}", password: "\${ERP_PASSWORD}" }

streams:
  # Followed by write_date, and by create_date for records that were never written again. Inactive records are read too,
  # deleted ones are found by a sweep over the ids. Tryton must be told which fields to read.
  # Suppliers, employees and contact persons are parties too: a category tells customers apart. Name yours in \`where\`.
  customers:
    source: erp
    read: { table: party.party, fields: [code, name, active], where: [["categories.name", "=", "Customer"]] }
    resource: customer
    match: [customerId]
    fields:
      customerId: code
      # A party may have no name.
      name: { expr: "name ?? ('Party ' & code)" }
      customerStatus: { lookup: customerStatus, value: { from: active, map: { true: Active, false: Inactive } } }
    # Also parties that lose the category.
    deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }

  # Contacts: a person is a party of its own, and a relation says whose contact it is. The module party_relationship adds it;
  # name your type of relation in \`where\`. A new name or e-mail address of the person does not move the relation's stamp, so
  # all relations are read at each poll (changed: null) and compared with the last reading. Without the module, leave this
  # stream out.
  contacts:
    source: erp
    every: 1m
    read:
      table: party.relation.all
      changed: null
      fields: [to, from_.name, from_.email, from_.phone, from_.mobile]
      where: [["type.name", "=", "Employed by"]]
    resource: customerContact
    match:
      - [customer, name, email]
      - { fields: [customer, name], compare: normalized }
    fields:
      customer: { ref: customers, key: to }
      name: "\`from_.\`.name"
      email: "\`from_.\`.email"
      telephone: "\`from_.\`.phone"
      mobile: "\`from_.\`.mobile"
    # Tickets and service records still name people who have left: they stay.
    deleted: { ignore: true }

  # Tickets: the customer complaint of the module sale_complaint. Without it, leave this stream out.
  tickets:
    source: erp
    read: { table: sale.complaint, fields: [number, customer, reference, description, type.name, state] }
    resource: ticket
    match: [erpReferenceNumber]
    fields:
      erpReferenceNumber: number
      customer: { ref: customers, key: customer }
      # A ticket has no title: the first line of its description serves as one.
      description: { expr: "$join([\`type.\`.name, description][$ != ''], '\\n\\n')" }
      # A complaint has no priority, and the service wants one. Afterwards it belongs to the people there.
      priority: { lookup: priority, value: { const: Normal }, own: create }
      ticketStatus:
        lookup: ticketStatus
        value:
          from: state
          map: { draft: Open, waiting: Waiting, approved: Open, rejected: Closed, done: Closed, cancelled: Closed }
    deleted: { set: { ticketStatus: { lookup: ticketStatus, value: Closed } } }

  # Service orders: the nearest standard object is the sale.
  orders:
    source: erp
    read: { table: sale.sale, fields: [number, party, reference, state] }
    resource: svcDocument
    match: [erpReferenceNumber]
    # A number is given when the sale is quoted; drafts have none.
    when: "$exists(number)"
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { from: number, own: create }
      customer: { ref: customers, key: party }
      referenceNumber: reference
      # The service has no field for the state of an order. This one shows it to the people there.
      externalReferenceNumber:
        from: state
        map: { draft: Draft, quotation: Quotation, confirmed: Confirmed, processing: Processing, done: Done, cancelled: Cancelled }
    # A record may carry people's hours: a person must cancel it.
    deleted: { when: "state = 'cancelled'", set: { externalReferenceNumber: Cancelled } }
`,
};

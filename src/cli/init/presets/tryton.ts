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
    auth: { kind: basic, username: "\${ERP_USER}", password: "\${ERP_PASSWORD}" }

streams:
  # Followed by write_date, and by create_date for records that were never written again. Inactive records are read too,
  # deleted ones are found by a sweep over the ids. Tryton must be told which fields to read.
  customers:
    source: erp
    read: { table: party.party, fields: [code, name, active] }
    resource: customer
    match: [customerId]
    # Suppliers are parties too: a category of your own tells them apart, as where: [["categories", "=", 1]] in read.
    fields:
      customerId: code
      # A party may have no name.
      name: { expr: "name ?? ('Party ' & code)" }
      customerStatus: { lookup: customerStatus, value: { from: active, map: { true: Active, false: Inactive } } }
    deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }

  # Contacts: a person is a party of its own, and whose contact it is stands in party.relation, which the module
  # party_relationship adds. Where you have it, this stream takes the relations (type 1: is employed by):
  #
  # contacts:
  #   source: erp
  #   read: { table: party.relation, fields: [from_, to, from_.rec_name], where: [["type", "=", 1]] }
  #   resource: customerContact
  #   match: [[customer, name]]
  #   fields: { customer: { ref: customers, key: to }, name: "from_.rec_name" }

  # Tickets: Tryton has no standard object for them.

  # Service orders: the nearest standard object is the sale.
  orders:
    source: erp
    read: { table: sale.sale, fields: [number, party, reference, state] }
    resource: svcDocument
    match: [erpReferenceNumber]
    # A number is given when the sale is quoted; drafts have none.
    when: "$exists(number) and state != 'cancelled'"
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { from: number, own: create }
      customer: { ref: customers, key: party }
      referenceNumber: reference
    deleted: { ignore: true }
`,
};

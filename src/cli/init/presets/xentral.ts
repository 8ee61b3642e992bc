import { fileHead, type Preset } from "../preset.ts";

const title = "Xentral";

export const xentral: Preset = {
  name: "xentral",
  title: "Xentral (API v3)",
  variables: [
    { name: "ERP_URL", about: "Address of Xentral", example: "https://company.xentral.biz/" },
    { name: "ERP_TOKEN", about: "Personal access token (180 days; one that is not used ends)", isSecret: true },
  ],
  syncFile: `${fileHead(title)}
sources:
  erp:
    adapter: rest
    preset: xentral
    url: "\${ERP_URL}"
    auth: { kind: bearer, token: "\${ERP_TOKEN}" }

streams:
  # Followed by updatedAt. There is no list of deletions: they are found by a sweep over the ids.
  customers:
    source: erp
    read: { table: customers }
    resource: customer
    match: [customerId]
    fields:
      customerId: number
      name: name
      # A customer carries no status that could be mapped: everyone is active until the sweep misses them.
      customerStatus: { lookup: customerStatus, value: { const: Active } }
    deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }

  # Contacts: contact persons are listed below each customer alone (customers/{id}/contactPersons), without a stamp. A stream
  # cannot be made of a thousand lists; where the database can be read, add a source with adapter: sql for them.

  # Tickets: the API has no object for them.

  # Service orders: Xentral has none; the nearest standard object is the sales order.
  orders:
    source: erp
    read: { table: salesOrders, size: 1000 }
    resource: svcDocument
    match: [erpReferenceNumber]
    # "svcsync peek orders" shows the words that your version has for the status.
    when: "status != 'draft'"
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      # Its name, documentNumber, depends on your version: "svcsync check" and "svcsync peek orders" show it.
      erpReferenceNumber: { from: documentNumber, own: create }
      customer: { ref: customers, key: customer.id }
      referenceNumber: customerOrderNumber
      # The service has no field for the state of an order. This one shows it to the people there.
      externalReferenceNumber: status
    # A record may carry people's hours: a person must cancel it.
    deleted: { when: "status in ['canceled', 'cancelled']", set: { externalReferenceNumber: canceled } }
`,
};

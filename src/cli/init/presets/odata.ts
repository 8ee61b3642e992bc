import { fileHead, type Preset } from "../preset.ts";

const title = "an OData v4 service";

export const odata: Preset = {
  name: "odata",
  title: "an OData v4 service (SAP CAP and others)",
  variables: [
    {
      name: "ERP_URL",
      about: "Address of the service, where $metadata is found",
      example: "https://erp.example/odata/v4/erp/",
    },
    { name: "ERP_USER", about: "User name" },
    { name: "ERP_PASSWORD", about: "Password", isSecret: true },
  ],
  syncFile: `${fileHead(title)}
# Entities and properties below are examples. Put your own names in: "svcsync check" compares them with $metadata and suggests
# the name that was probably meant. Properties of associations carry the key, as customer_ID does in SAP CAP.

sources:
  erp:
    adapter: odata
    url: "\${ERP_URL}"
    # Also { kind: bearer, token: … } and { kind: oauth, … }: see src/sources/odata/README.md.
    auth: { kind: basic, username: "\${ERP_USER}", password: "\${ERP_PASSWORD}" }

streams:
  # modifiedAt is the stamp that SAP CAP's aspect "managed" keeps. Name the one of your service, or say changed: null to read the
  # whole set at each poll. What a stamp does not tell, such as a record that a rule hid and shows again, a sweep finds.
  customers:
    source: erp
    read: { entity: Customers, changed: modifiedAt }
    resource: customer
    match: [customerId]
    fields:
      customerId: number
      name: name
      customerStatus: { lookup: customerStatus, value: { from: active, map: { true: Active, false: Inactive } } }
    # Entities that are no longer there.
    deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }

  contacts:
    source: erp
    read: { entity: Contacts, changed: modifiedAt }
    resource: customerContact
    match:
      - [customer, name, email]
      - { fields: [customer, name], compare: normalized }
    fields:
      # The customer's key in the ERP; a contact waits until its customer is in the service.
      customer: { ref: customers, key: customer_ID }
      name: { expr: "$trim(firstName & ' ' & lastName)" }
      email: email
      telephone: phone
    # Tickets and service records still name people who have left: they stay.
    deleted: { ignore: true }

  tickets:
    source: erp
    read: { entity: Tickets, changed: modifiedAt }
    resource: ticket
    match: [erpReferenceNumber]
    fields:
      erpReferenceNumber: number
      customer: { ref: customers, key: customer_ID }
      customerContact: { ref: contacts, key: contact_ID, optional: true }
      # A ticket has no title: the first line of its description serves as one.
      description: { expr: "$join([title, description][$ != ''], '\\\\n\\\\n')" }
      priority: { lookup: priority, value: { from: priority, map: { low: Low, normal: Normal, high: High } } }
      ticketStatus: { lookup: ticketStatus, value: { from: status, map: { open: Open, waiting: Waiting, closed: Closed } } }
    deleted: { set: { ticketStatus: { lookup: ticketStatus, value: Closed } } }

  orders:
    source: erp
    read: { entity: Orders, changed: modifiedAt }
    resource: svcDocument
    match: [erpReferenceNumber]
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { from: number, own: create }
      customer: { ref: customers, key: customer_ID }
      referenceNumber: reference
      # The service has no field for the state of an order. This one shows it to the people there.
      externalReferenceNumber: { from: status, map: { open: Open, done: Done, cancelled: Cancelled } }
    # A record may carry people's hours: a person must cancel it.
    deleted: { when: "status = 'cancelled'", set: { externalReferenceNumber: Cancelled } }
`,
};

import { fileHead, type Preset } from "../preset.ts";

const title = "Microsoft Dynamics 365 Business Central (API v2.0)";

export const businessCentral: Preset = {
  name: "businessCentral",
  title,
  variables: [
    {
      name: "ERP_URL",
      about: "Address of the API up to the company",
      example:
        "https://api.businesscentral.dynamics.com/v2.0/<tenant>/production/api/v2.0/companies(00000000-0000-0000-0000-000000000000)",
    },
    {
      name: "ERP_TOKEN_URL",
      about: "Token endpoint of the tenant",
      example: "https://login.microsoftonline.com/<tenant>/oauth2/v2.0/token",
    },
    { name: "ERP_CLIENT_ID", about: "Application (client) id that is registered in Business Central" },
    { name: "ERP_CLIENT_SECRET", about: "Client secret of that application", isSecret: true },
  ],
  syncFile: `${fileHead(title)}
sources:
  erp:
    adapter: odata
    preset: businessCentral
    url: "\${ERP_URL}"
    auth:
      kind: oauth
      tokenUrl: "\${ERP_TOKEN_URL}"
      clientId: "\${ERP_CLIENT_ID}"
      clientSecret: "\${ERP_CLIENT_SECRET}"
      scope: https://api.businesscentral.dynamics.com/.default

streams:
  # Every stream is followed by lastModifiedDateTime, which the platform moves with each change. The API tells no deletions:
  # they are found by a sweep over the ids.
  customers:
    source: erp
    read:
      entity: customers
      select: [number, displayName, phoneNumber, email, website, blocked]
    resource: customer
    match: [customerId]
    fields:
      customerId: number
      name: displayName
      # blocked is empty, Ship, Invoice or All; a customer that is blocked for all is inactive.
      customerStatus: { lookup: customerStatus, value: { from: blocked, map: { All: Inactive }, default: Active } }
    deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }

  contacts:
    source: erp
    # A contact of type Person belongs to a company, and the company is a customer's: contactsInformation tells whose.
    # Whether it can be expanded depends on your version: "svcsync check" and "svcsync peek contacts" show it.
    # A company that becomes a customer does not move the stamps of its persons, so they are read whole.
    every: 15m
    read: { entity: contacts, changed: null, filter: "type eq 'Person'", expand: [contactsInformation] }
    resource: customerContact
    match:
      - [customer, name, email]
      - { fields: [customer, name], compare: normalized, shared: true }
    # Persons of suppliers and banks stay out.
    when: "$exists(contactsInformation[relatedType = 'Customer'])"
    fields:
      customer: { ref: customers, key: { expr: "contactsInformation[relatedType = 'Customer'][0].relatedId" } }
      name: displayName
      email: email
      telephone: phoneNumber
      mobile: mobilePhoneNumber
    deleted: { ignore: true }

  # Tickets: API v2.0 has no object for them. A ticket system of your own gets a source and a stream of its own here.

  # Service orders: API v2.0 shows none either (the Service Management module has no standard API page). The nearest standard
  # object is the sales order; an API page over the Service Header table would be better: put its entity set in here.
  orders:
    source: erp
    read:
      entity: salesOrders
      select: [number, customerId, externalDocumentNumber, status]
    resource: svcDocument
    match: [erpReferenceNumber]
    # Only released orders are work to be done.
    when: "status != 'Draft'"
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { from: number, own: create }
      customer: { ref: customers, key: customerId }
      referenceNumber: externalDocumentNumber
    # An order that was invoiced is deleted in Business Central. Its service record stays.
    deleted: { ignore: true }
`,
};

import { fileHead, type Preset } from "../preset.ts";

const title = "SAP S/4HANA (OData v2)";

export const s4hana: Preset = {
  name: "s4hana",
  title,
  variables: [
    {
      name: "ERP_URL",
      about: "Address of the gateway, without a path",
      example: "https://my300000-api.s4hana.cloud.sap",
    },
    { name: "ERP_USER", about: "User of the communication arrangement (SAP_COM_0008 and SAP_COM_0207)" },
    { name: "ERP_PASSWORD", about: "Password of that user", isSecret: true },
  ],
  syncFile: `${fileHead(title)}
sources:
  partners:
    adapter: odata
    preset: s4hana
    url: "\${ERP_URL}/sap/opu/odata/sap/API_BUSINESS_PARTNER/"
    auth: { kind: basic, username: "\${ERP_USER}", password: "\${ERP_PASSWORD}" }
    # Stamps are in the zone of the application server.
    timezone: Europe/Berlin
  serviceOrders:
    adapter: odata
    preset: s4hana
    url: "\${ERP_URL}/sap/opu/odata/sap/API_SERVICE_ORDER_SRV/"
    auth: { kind: basic, username: "\${ERP_USER}", password: "\${ERP_PASSWORD}" }
    timezone: Europe/Berlin

streams:
  # Followed by LastChangeDate and LastChangeTime, and by the creation stamps of partners that were never changed. A change of
  # an address alone does not move them. Numbers are text with leading zeros: leave them so, they are the key.
  customers:
    source: partners
    read:
      entity: A_BusinessPartner
      filter: "Customer ne ''"
      select: [Customer, BusinessPartnerFullName, SearchTerm1, BusinessPartnerIsBlocked, IsMarkedForArchiving]
    resource: customer
    match: [customerId]
    fields:
      customerId: Customer
      name: BusinessPartnerFullName
      shortName: SearchTerm1
      customerStatus:
        lookup: customerStatus
        value: { from: BusinessPartnerIsBlocked, map: { true: Inactive, false: Active } }
    # The API never removes a partner, it marks it.
    deleted:
      when: "IsMarkedForArchiving = true"
      set: { customerStatus: { lookup: customerStatus, value: Inactive } }

  # Contacts: a contact person is a business partner (the name), a relationship (whose contact it is) and an address (e-mail,
  # telephone), in three entity sets of which only the first has a stamp. Publish one CDS view that joins them, as an OData
  # service with a source of its own, and take this stream in:
  #
  # contacts:
  #   source: contactView
  #   read: { entity: YY1_CONTACTS, key: [BusinessPartnerCompany, BusinessPartnerPerson], changed: null }
  #   resource: customerContact
  #   match: [[customer, name, email]]
  #   fields:
  #     customer: { ref: customers, key: BusinessPartnerCompany }
  #     name: PersonFullName
  #     email: EmailAddress

  # Tickets: S/4HANA has no standard object for them; the service order below is where service work begins.

  orders:
    source: serviceOrders
    read:
      entity: A_ServiceOrder
      changed: { field: ServiceDocChangedDateTime, type: datetimeoffset }
      select: [ServiceOrderDescription, SoldToParty, PurchaseOrderByCustomer]
    resource: svcDocument
    match: [erpReferenceNumber]
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { from: ServiceOrder, own: create }
      # The sold-to party is the number of a business partner, as the stream of customers has it.
      customer: { ref: customers, key: SoldToParty }
      referenceNumber: PurchaseOrderByCustomer
      externalReferenceNumber: ServiceOrderDescription
    deleted: { ignore: true }
`,
};

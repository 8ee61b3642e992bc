import { fileHead, type Preset } from "../preset.ts";

const title = "SAP Business One (Service Layer)";

export const businessOne: Preset = {
  name: "businessOne",
  title,
  variables: [
    { name: "ERP_URL", about: "Address of the Service Layer", example: "https://b1.example:50000/b1s/v2/" },
    { name: "ERP_COMPANY", about: "Company database", example: "SBODEMODE" },
    { name: "ERP_USER", about: "User name" },
    { name: "ERP_PASSWORD", about: "Password", isSecret: true },
  ],
  syncFile: `${fileHead(title)}
sources:
  erp:
    adapter: odata
    preset: businessOne
    url: "\${ERP_URL}"
    auth:
      kind: login
      url: Login
      body: { CompanyDB: "\${ERP_COMPANY}", UserName: "\${ERP_USER}", Password: "\${ERP_PASSWORD}" }
    # Stamps are the server's local time.
    timezone: Europe/Berlin

streams:
  # Followed by UpdateDate and UpdateTime, and by CreateDate (a whole day) for records that were never changed.
  # Nothing tells deletions: flags do, and a sweep over the keys.
  customers:
    source: erp
    read:
      entity: BusinessPartners
      filter: "CardType eq 'cCustomer'"
      select: [CardName, CardForeignName, Frozen, Notes]
    resource: customer
    match: [customerId]
    fields:
      customerId: CardCode
      name: CardName
      shortName: CardForeignName
      info: { from: Notes, own: create }
      customerStatus: { lookup: customerStatus, value: { from: Frozen, map: { tYES: Inactive, tNO: Active } } }
    deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }

  # Contacts: persons stand inside their business partner (ContactEmployees) and the Service Layer lists them nowhere else,
  # while a stream needs one row per record. Where the database can be read, take them from it, beside the source above:
  #
  # sources:
  #   database: { adapter: sql, url: "\${ERP_DATABASE_URL}", timezone: Europe/Berlin }
  # streams:
  #   contacts:
  #     source: database
  #     read: { table: dbo.OCPR, key: CntctCode, changed: { date: updateDate, time: updateTime } }
  #     resource: customerContact
  #     match: [[customer, name, email]]
  #     fields: { customer: { ref: customers, key: CardCode }, name: Name, email: E_MailL, telephone: Tel1, mobile: Cellolar }

  tickets:
    source: erp
    read:
      entity: ServiceCalls
      # Whether service calls have UpdateDate and UpdateTime depends on your version: "svcsync check" and
      # "svcsync peek tickets" show it. Without them, changed: null reads all of them at each poll.
      changed: { date: UpdateDate, time: UpdateTime }
      created: { field: CreationDate, type: date }
      select: [Subject, Description, CustomerCode, Priority, Status]
    resource: ticket
    match: [erpReferenceNumber]
    fields:
      erpReferenceNumber: { expr: "$string(ServiceCallID)" }
      customer: { ref: customers, key: CustomerCode }
      # A ticket has no title: the first line of its description serves as one.
      description: { expr: "$join([Subject, Description][$ != ''], '\\n\\n')" }
      priority: { lookup: priority, value: { from: Priority, map: { scp_Low: Low, scp_Medium: Normal, scp_High: High } } }
      # -3 open, -2 pending, -1 closed; statuses of your own have positive numbers.
      ticketStatus:
        lookup: ticketStatus
        value: { from: Status, map: { "-3": Open, "-2": Waiting, "-1": Closed }, default: Open }
    deleted: { set: { ticketStatus: { lookup: ticketStatus, value: Closed } } }

  # Service orders: Business One has none beside the service call above; the nearest standard object is the sales order.
  orders:
    source: erp
    read:
      entity: Orders
      created: { field: CreationDate, type: date }
      changed: { date: UpdateDate, time: UpdateTime }
      select: [DocNum, CardCode, NumAtCard, DocumentStatus, Cancelled]
    resource: svcDocument
    match: [erpReferenceNumber]
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { expr: "$string(DocNum)", own: create }
      customer: { ref: customers, key: CardCode }
      referenceNumber: NumAtCard
      # The service has no field for the state of an order. This one shows it to the people there.
      externalReferenceNumber: { from: DocumentStatus, map: { bost_Open: Open, bost_Close: Closed } }
    # A record may carry people's hours: a person must cancel it.
    deleted: { when: "Cancelled = 'tYES'", set: { externalReferenceNumber: Cancelled } }
`,
};

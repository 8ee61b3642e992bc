import { fileHead, type Preset } from "../preset.ts";

const title = "weclapp";

export const weclapp: Preset = {
  name: "weclapp",
  title: "weclapp (REST v2)",
  variables: [
    { name: "ERP_URL", about: "Address of the API", example: "https://company.weclapp.com/webapp/api/v2/" },
    { name: "ERP_TOKEN", about: "API token of a user (a new one ends all older ones of that user)", isSecret: true },
  ],
  syncFile: `${fileHead(title)}
sources:
  erp:
    adapter: rest
    preset: weclapp
    url: "\${ERP_URL}"
    auth: { kind: header, name: AuthenticationToken, value: "\${ERP_TOKEN}" }

streams:
  # Followed by lastModifiedDate. There is no list of deletions: they are found by a sweep over the ids.
  customers:
    source: erp
    read: { table: party, where: { customer-eq: true } }
    resource: customer
    match: [customerId]
    fields:
      customerId: customerNumber
      # A company has a name, a private customer first and last name.
      name: { expr: "$trim($join([company, firstName, lastName][$ != ''], ' '))" }
      warning: customerBlockNotice
      info: { from: customerInternalNote, own: create }
      customerStatus: { lookup: customerStatus, value: { from: customerBlocked, map: { true: Inactive, false: Active } } }
    deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }

  contacts:
    source: erp
    read: { table: party, where: { partyType-eq: PERSON, customer-eq: false } }
    resource: customerContact
    match:
      - [customer, name, email]
      - { fields: [customer, name], compare: normalized, shared: true }
    # Whether persons name their company in parentPartyId depends on your version: "svcsync check" and
    # "svcsync peek contacts" show it. Persons without a company stay out.
    when: "$exists(parentPartyId) and parentPartyId != ''"
    fields:
      customer: { ref: customers, key: parentPartyId }
      name: { expr: "$trim(firstName & ' ' & lastName)" }
      firstName: firstName
      lastName: lastName
      email: email
      telephone: phone
      mobile: mobilePhone1
      gender: { from: salutation, map: { MR: MALE, MRS: FEMALE }, default: UNKNOWN }
    deleted: { ignore: true }

  tickets:
    source: erp
    read: { table: ticket, where: { isTemplate-eq: false } }
    resource: ticket
    match: [erpReferenceNumber]
    when: "$exists(partyId) and partyId != ''"
    fields:
      erpReferenceNumber: ticketNumber
      customer: { ref: customers, key: partyId }
      customerContact: { ref: contacts, key: contactId, optional: true }
      # weclapp keeps descriptions as HTML. A ticket has no title: the first line of its description serves as one.
      description: { expr: "$join([subject, $trim($replace(description ?? '', /<[^<>]+>/, ' '))][$ != ''], '\\n\\n')" }
      # Priorities and statuses are ids of your tenant in weclapp (ticketPriorityId, ticketStatusId): put a map of them here.
      priority: { lookup: priority, value: { const: Normal } }
      ticketStatus: { lookup: ticketStatus, value: { expr: "$exists(finishedDate) ? 'Closed' : 'Open'" } }
      # Instants are milliseconds.
      dueDate: { expr: "$exists(solutionDueDate) ? $fromMillis(solutionDueDate)" }
    deleted: { set: { ticketStatus: { lookup: ticketStatus, value: Closed } } }

  # Service orders: weclapp has no object of that name; the nearest standard object is the sales order.
  orders:
    source: erp
    read: { table: salesOrder }
    resource: svcDocument
    match: [erpReferenceNumber]
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { from: orderNumber, own: create }
      customer: { ref: customers, key: customerId }
      referenceNumber: commission
      # The service has no field for the state of an order. This one shows it to the people there.
      externalReferenceNumber: status
    # A record may carry people's hours: a person must cancel it.
    deleted: { when: "status = 'CANCELLED'", set: { externalReferenceNumber: CANCELLED } }
`,
};

import { fileHead, type Preset } from "../preset.ts";

const title = "Dolibarr";

export const dolibarr: Preset = {
  name: "dolibarr",
  title,
  variables: [
    { name: "ERP_URL", about: "Address of Dolibarr", example: "https://erp.example/" },
    { name: "ERP_KEY", about: "API key of a user (DOLAPIKEY)", isSecret: true },
  ],
  syncFile: `${fileHead(title)}
sources:
  erp:
    adapter: rest
    preset: dolibarr
    url: "\${ERP_URL}"
    auth: { kind: header, name: DOLAPIKEY, value: "\${ERP_KEY}" }
    # The zone of PHP. Where the database's clock shows another one, add databaseTimezone.
    timezone: Europe/Berlin

streams:
  # Followed by tms. Rows that the user of the key may not see are left out without a word. There is no list of deletions:
  # they are found by a sweep over the ids.
  customers:
    source: erp
    # mode 1: customers; 4 would be suppliers.
    read: { table: thirdparties, where: { mode: 1 } }
    resource: customer
    match: [customerId]
    fields:
      customerId: code_client
      name: name
      shortName: name_alias
      info: { from: note_public, own: create }
      customerStatus: { lookup: customerStatus, value: { from: status, map: { 0: Inactive, 1: Active } } }
    deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }

  contacts:
    source: erp
    read: { table: contacts }
    resource: customerContact
    match:
      - [customer, name, email]
      - { fields: [customer, name], compare: normalized, shared: true }
    when: "$exists(socid) and socid != ''"
    fields:
      # A contact of a third party that is no customer waits with that reason: it never comes, and holds nothing up.
      customer: { ref: customers, key: socid }
      name: { expr: "$trim(firstname & ' ' & lastname)" }
      firstName: firstname
      lastName: lastname
      email: email
      telephone: phone_pro
      mobile: phone_mobile
      gender: { from: civility_code, map: { MR: MALE, MME: FEMALE, MLE: FEMALE }, default: UNKNOWN }
    # Tickets and service records still name people who have left: they stay.
    deleted: { ignore: true }

  tickets:
    source: erp
    # Whether tickets show their stamp as tms depends on your version: "svcsync check" and "svcsync peek tickets" show it.
    read: { table: tickets, changed: tms }
    resource: ticket
    match: [erpReferenceNumber]
    when: "$exists(fk_soc) and fk_soc != ''"
    fields:
      erpReferenceNumber: ref
      customer: { ref: customers, key: fk_soc }
      # Dolibarr keeps messages as HTML. A ticket has no title: the first line of its description serves as one.
      description: { expr: "$join([subject, $trim($replace(message ?? '', /<[^<>]+>/, ' '))][$ != ''], '\\n\\n')" }
      priority:
        lookup: priority
        value: { from: severity_code, map: { LOW: Low, NORMAL: Normal, HIGH: High, BLOCKING: High }, default: Normal }
      # 8 is closed, 9 deleted by the user; 5 and 7 wait for another person.
      ticketStatus:
        lookup: ticketStatus
        value: { from: fk_statut, map: { 5: Waiting, 7: Waiting, 8: Closed, 9: Closed }, default: Open }
    deleted: { set: { ticketStatus: { lookup: ticketStatus, value: Closed } } }

  # A service order is an intervention in Dolibarr.
  orders:
    source: erp
    # Whether interventions show their stamp as datem depends on your version: "svcsync check" and "svcsync peek orders"
    # show it.
    read: { table: interventions, changed: datem }
    resource: svcDocument
    match: [erpReferenceNumber]
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { from: ref, own: create }
      customer: { ref: customers, key: socid }
      referenceNumber: ref_client
    deleted: { ignore: true }
`,
};

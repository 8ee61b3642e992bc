import { fileHead, type Preset } from "../preset.ts";

const title = "LedgerSMB";

export const ledgersmb: Preset = {
  name: "ledgersmb",
  title: "LedgerSMB (PostgreSQL)",
  variables: [
    {
      name: "ERP_URL",
      about: "Address of the company's database, with a user that may only read",
      example: "postgres://svcsync:password@erp-db:5432/company",
      isDatabase: true,
    },
  ],
  syncFile: `${fileHead(title)}
# LedgerSMB keeps no stamp of changes, so every stream is read whole at each poll and compared with the last reading. \`every\`
# says how often. The user needs to read four tables and nothing else:
#
#   create role svcsync login password '…';
#   grant select on entity, entity_credit_account, eca_to_contact, oe to svcsync;

sources:
  erp:
    adapter: sql
    url: "\${ERP_URL}"

streams:
  # A customer is a credit account of class 2; its name is in entity, for companies and persons alike.
  customers:
    source: erp
    every: 1m
    read:
      query: |
        select account.id, account.meta_number, account.description, entity.name,
               coalesce(account.enddate >= current_date, true) as active
        from entity_credit_account account join entity on entity.id = account.entity_id
        where account.entity_class = 2
      key: id
    resource: customer
    match: [customerId]
    fields:
      customerId: meta_number
      name: name
      shortName: description
      customerStatus: { lookup: customerStatus, value: { from: active, map: { true: Active, false: Inactive } } }
    deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }

  # LedgerSMB keeps addresses and numbers of a customer, not persons. Its people put the person's name into the description:
  # addresses and numbers with one description make one contact. Those without a description are left out.
  contacts:
    source: erp
    every: 1m
    read:
      query: |
        select contact.credit_id, contact.description,
               min(contact.contact) filter (where contact.contact_class_id = 12) as email,
               min(contact.contact) filter (where contact.contact_class_id = 1) as phone,
               min(contact.contact) filter (where contact.contact_class_id = 3) as mobile
        from eca_to_contact contact join entity_credit_account account on account.id = contact.credit_id
        where account.entity_class = 2 and contact.description <> ''
        group by contact.credit_id, contact.description
      key: [credit_id, description]
    resource: customerContact
    match:
      - [customer, name, email]
      - { fields: [customer, name], compare: normalized }
    fields:
      customer: { ref: customers, key: credit_id }
      name: description
      email: email
      telephone: phone
      mobile: mobile
    # Tickets and service records still name people who have left: they stay.
    deleted: { ignore: true }

  # Tickets: LedgerSMB has no standard object for them.

  orders:
    source: erp
    every: 1m
    read:
      query: |
        select id, ordnumber, ponumber, entity_credit_account, closed from oe where oe_class_id = 1
      key: id
    resource: svcDocument
    match: [erpReferenceNumber]
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { from: ordnumber, own: create }
      customer: { ref: customers, key: entity_credit_account }
      referenceNumber: ponumber
      # The service has no field for the state of an order. This one shows it to the people there.
      externalReferenceNumber: { from: closed, map: { false: Open, true: Closed } }
    # A record may carry people's hours: a person must cancel it.
    deleted: { set: { externalReferenceNumber: Deleted } }
`,
};

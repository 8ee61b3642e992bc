import { fileHead, type Preset, type Variable } from "../preset.ts";

interface Protocol {
  readonly name: string;
  readonly title: string;
  /** How the source logs in, as lines of the sync file. */
  readonly lines: readonly string[];
  readonly login: readonly Variable[];
}

const key: Variable = { name: "ERP_KEY", about: "API key of a user", isSecret: true };

const protocols: readonly Protocol[] = [
  {
    name: "odoo",
    title: "Odoo 19 and later (JSON-2)",
    lines: [
      "protocol: json2",
      "# These keys live for three months at most: renew it in time, both are valid meanwhile.",
      'key: "${ERP_KEY}"',
    ],
    login: [key],
  },
  {
    name: "odoo18",
    title: "Odoo 16 to 18 (JSON-RPC)",
    lines: ["protocol: jsonrpc", 'username: "${ERP_USER}"', 'key: "${ERP_KEY}"'],
    login: [{ name: "ERP_USER", about: "Login of the user that the key belongs to" }, key],
  },
];

/** One preset per protocol: the streams are the same. */
export const odooPresets: readonly Preset[] = protocols.map(({ name, title, lines, login }) => ({
  name,
  title,
  variables: [
    { name: "ERP_URL", about: "Address of Odoo, without a path", example: "https://company.odoo.com" },
    { name: "ERP_DATABASE", about: "Name of the database", example: "company" },
    ...login,
  ],
  syncFile: `${fileHead("Odoo")}
sources:
  erp:
    adapter: odoo
    url: "\${ERP_URL}"
    database: "\${ERP_DATABASE}"
${lines.map((line) => `    ${line}\n`).join("")}
streams:
  # Followed by write_date. Archived records are read too, deleted ones are found by a sweep over the ids.
  # A many2one field arrives as the id, its name as <field>_label.
  customers:
    source: erp
    read:
      model: res.partner
      # Customers, suppliers and contacts share a model; a tag tells customers apart: name yours here and below. Leave the
      # condition out to take every company. customer_rank is no substitute: Odoo raises it when an invoice is posted without
      # moving write_date, so a new customer would be missed.
      domain: [[parent_id, "=", false], [category_id.name, "=", Customer]]
      fields: [name, ref, active, comment]
    resource: customer
    match: [customerId]
    fields:
      # The reference is optional in Odoo and not unique on its own; the id is both.
      customerId: { expr: "$string(id)" }
      name: name
      shortName: ref
      customerStatus: { lookup: customerStatus, value: { from: active, map: { true: Active, false: Inactive } } }
    deleted: { set: { customerStatus: { lookup: customerStatus, value: Inactive } } }

  contacts:
    source: erp
    read:
      model: res.partner
      # A company that gets the tag does not move the stamps of its contacts: those that it has by then come with a sweep.
      domain: [[parent_id, "!=", false], [type, "=", contact], [commercial_partner_id.category_id.name, "=", Customer]]
      fields: [name, email, phone, commercial_partner_id, active]
    resource: customerContact
    match:
      - [customer, name, email]
      - { fields: [customer, name], compare: normalized, shared: true }
    fields:
      # The company at the top, also for persons of a branch.
      customer: { ref: customers, key: commercial_partner_id }
      name: name
      email: email
      # Odoo 18 and earlier have a field mobile too: read it above and map it to mobile.
      telephone: phone
    # Tickets and service records still name people who have left: they stay.
    deleted: { when: "active = false", ignore: true }

  # Helpdesk is part of Odoo Enterprise. Without it, leave this stream out, or take project.task of one project.
  tickets:
    source: erp
    read:
      model: helpdesk.ticket
      fields: [name, description, commercial_partner_id, partner_id, priority, close_date, active]
    resource: ticket
    match: [erpReferenceNumber]
    # The service can hold a ticket without a customer, but a person there could not tell whose it is.
    when: "$exists(commercial_partner_id)"
    fields:
      erpReferenceNumber: { expr: "$string(id)" }
      customer: { ref: customers, key: commercial_partner_id }
      # Where the ticket names the company itself, there is no such contact and the field stays empty.
      customerContact: { ref: contacts, key: { expr: "partner_id != commercial_partner_id ? partner_id" }, optional: true }
      # Odoo keeps descriptions as HTML. A ticket has no title: the first line of its description serves as one.
      description: { expr: "$join([name, $trim($replace(description ?? '', /<[^<>]+>/, ' '))][$ != ''], '\\n\\n')" }
      priority: { lookup: priority, value: { from: priority, map: { "0": Low, "1": Normal, "2": High, "3": High } } }
      ticketStatus: { lookup: ticketStatus, value: { expr: "$exists(close_date) ? 'Closed' : 'Open'" } }
    deleted: { when: "active = false", set: { ticketStatus: { lookup: ticketStatus, value: Closed } } }

  # Field Service is part of Odoo Enterprise: its orders are tasks with is_fsm. Without it, the nearest standard object is
  # sale.order: model: sale.order, domain: [[state, "=", sale]], fields: [name, client_order_ref, partner_id].
  orders:
    source: erp
    read:
      model: project.task
      domain: [[is_fsm, "=", true]]
      fields: [name, partner_id, active]
    resource: svcDocument
    match: [erpReferenceNumber]
    when: "$exists(partner_id)"
    fields:
      # The service takes this number at creation only; later it accepts a change and drops it.
      erpReferenceNumber: { expr: "$string(id)", own: create }
      customer: { ref: customers, key: partner_id }
      referenceNumber: name
    deleted: { when: "active = false", ignore: true }
`,
}));

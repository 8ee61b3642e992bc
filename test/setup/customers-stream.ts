/** How the table of the customers is read. */
export const CUSTOMERS = "{ table: customers, key: customer_no, changed: updated_at }";

/** The stream of the sample ERP's customers in a sync file, with the fields that the service demands and nothing else. */
export function customersStream(status = "{ const: Active }", read = CUSTOMERS): string {
  return `  customers:
    source: erp
    read: ${read}
    resource: customer
    match: [customerId]
    fields:
      customerId: customer_no
      name: name1
      customerStatus: { lookup: customerStatus, by: name, value: ${status} }
`;
}

/** A sync file of customers without a natural key: what became of a create cannot be looked for. */
export const unmatchedCustomers = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream().replace(/ *match: .*\n/, "")}`;

/** A sync file of two sources: customers of the sample ERP, and buyers of a shop on the web. */
export function customersAndShop(shopUrl: string): string {
  return `
sources:
  erp: { adapter: sql, url: "\${ERP_URL}" }
  shop: { adapter: rest, url: "${shopUrl}", timezone: UTC }
streams:
${customersStream()}  buyers:
    source: shop
    read: { path: buyers, rows: rows, key: id }
    resource: customer
    match: [customerId]
    fields:
      customerId: { expr: "'S' & id" }
      name: name
      customerStatus: { lookup: customerStatus, by: name, value: { const: Prospect } }
`;
}

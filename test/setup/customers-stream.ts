/** The stream of the sample ERP's customers in a sync file, with the fields that the service demands and nothing else. */
export function customersStream(status = "{ const: Active }"): string {
  return `  customers:
    source: erp
    read: { table: customers, key: customer_no, changed: updated_at }
    resource: customer
    match: [customerId]
    fields:
      customerId: customer_no
      name: name1
      customerStatus: { lookup: customerStatus, by: name, value: ${status} }
`;
}

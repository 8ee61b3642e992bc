/** What an integrator adds to the sync file. */
export const RETURNS = `
returns:
  reports:
    resource: svcDocument
    every: 1s
    to: { source: erp, table: svcsync_returns, lines: svcsync_return_lines }
    answers: { table: svcsync_answers }
    fields:
      order_no: erpReferenceNumber
      customer_no: { keyOf: customers, id: customer }
      finished_at: { expr: "$local(finishedDate, 'Europe/Berlin')" }
    lines:
      - each: tasks.workLogs
        kind: time
        amount: { expr: "invoiceTime / 3600000", round: 2, remainder: last }
        fields:
          staff_no: { nameOf: user, id: worker, by: externalErpNumber }
          article: { nameOf: serviceType, id: task.serviceType, by: number }
          remark: comment
      - each: tasks.materials
        kind: material
        amount: amount
        fields:
          article: { nameOf: materialItem, id: materialItem, by: number }
      - each: travelLogs
        kind: travel
        amount: distance
        fields:
          staff_no: { nameOf: user, id: worker, by: externalErpNumber }
    guard: off
    then: { resource: invoice, of: svcDocument, set: { invoiceNumber: document } }
`;

/** Ends a new sync file: the way back to the ERP, for the person who wants it. */
export const returnsText = `
# The way back: approved service records with their lines, in an inbox that the ERP reads and answers. docs/guides/returns.md explains it,
# and "svcsync returns ddl --dialect postgres" prints the tables. The source is a database that svcsync and the ERP reach.
#
# returns:
#   reports:
#     resource: svcDocument
#     to: { source: erp, table: svcsync.returns, lines: svcsync.return_lines }
#     answers: { table: svcsync.answers, within: 24h }
#     fields:
#       order_no: erpReferenceNumber
#       customer_no: { keyOf: customers, id: customer }
#     lines:
#       - each: tasks.workLogs
#         kind: time
#         amount: { expr: "invoiceTime / 3600000", round: 2, remainder: last }
#         fields:
#           staff_no: { nameOf: user, id: worker, by: externalErpNumber }
#           article: { nameOf: serviceType, id: task.serviceType, by: number }
#       - each: tasks.materials
#         kind: material
#         amount: amount
#         fields: { article: { nameOf: materialItem, id: materialItem, by: number } }
`;

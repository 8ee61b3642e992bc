import type { ResourceFacts } from "./resource-facts.ts";

type Known = Partial<Omit<ResourceFacts, "name" | "object">>;

const stamps = ["id", "link", "created", "modified"];
const words = (text: string) => text.split(" ");
const byName: Known = { required: ["name"], match: [["name"]] };

/** Children have no delta and no filter of their own: they live below the record that `parent` names. */
const below = (resource: string, otherPath: string, more: Known = {}): Known => ({
  parent: { field: resource, resource },
  otherPath,
  ...more,
});

/** What hangs on an activity links to it by `task`. */
const belowTask = (segment: string, more: Known): Known => ({
  parent: { field: "task", resource: "svcDocumentTask" },
  otherPath: `svcDocument/{svcDocument}/task/{parent}/${segment}`,
  ...more,
});

/** Known facts per resource; what is missing is unknown. Sources: the vendor's schema and tenants that were seen live. */
export const known: Readonly<Record<string, Known>> = {
  customer: {
    required: ["name", "customerStatus", "customerId"],
    readOnly: [...stamps, "defaultCustomerLocation"],
    match: [["customerId"]],
    changedSince: true,
  },
  customerContact: {
    required: ["name", "customer"],
    createOnly: ["customer", "customerLocation", "temporary"],
    match: [
      ["customer", "email"],
      ["customer", "name"],
    ],
    changedSince: true,
  },
  customerLocation: {
    required: ["name", "street", "zipcode", "city", "customer"],
    createOnly: ["customer", "temporary"],
    match: [
      ["customer", "street", "zipcode"],
      ["customer", "name"],
    ],
    changedSince: true,
  },
  customerObject: {
    required: ["object", "customer"],
    createOnly: ["customer"],
    match: [["customer", "extendedName"]],
    changedSince: true,
  },
  ticket: {
    required: ["description", "priority", "ticketStatus"],
    readOnly: [
      ...stamps,
      ...words("ticketNumber svcDocuments protocols mergedTickets mergedToTicket webLink sla slaRunning slaDueDate"),
      ...words("inwardLinks outwardLinks hasSvcDocuments hasProtocols hasTicketLinks"),
    ],
    match: [["erpReferenceNumber"], ["externalReferenceNumber"], ["referenceNumber"]],
    arrays: ["tags", "customerObjects"],
    changedSince: true,
  },
  svcDocument: {
    required: ["customer"],
    readOnly: [
      ...stamps,
      ...words("documentNumber finished finishedDate preFinished approved approvedDate approvedComment canceled"),
      ...words("canceledDate drafted releasedDate invoiceNumber totalPrice webLink serverModified tasks travelLogs"),
    ],
    createOnly: ["erpReferenceNumber", "type"],
    match: [["ticket", "erpReferenceNumber"], ["customer", "erpReferenceNumber"], ["erpReferenceNumber"]],
    arrays: ["tags", "infoFiles"],
    changedSince: true,
  },
  invoice: { readOnly: [...stamps, "svcDocument", "agreementInvoice", "status"] },
  materialItem: {
    ...byName,
    match: [["number"], ["name"]],
    refuses: ["delete"],
    changedSince: true,
    deactivates: true,
  },
  serviceType: {
    ...byName,
    match: [["number"], ["name"]],
    refuses: ["delete"],
    deactivates: true,
  },
  tag: { required: ["name"], match: [["name"]], refuses: ["delete"], deactivates: true },
  customField: { required: ["name", "parentType", "type"], refuses: ["delete"] },
  ticketStatus: byName,
  priority: byName,
  customerProfile: byName,
  selectionValue: byName,
  selectionCategory: byName,
  userAndQueue: byName,
  serviceProvider: { match: [["name", "number"]] },
  customerStatus: { required: ["name", "selectable"], match: [["name"]] },
  user: {
    required: ["email", "name", "password", "username", "permissionGroup"],
    writeOnly: ["password"],
    match: [["externalErpNumber"], ["email"]],
  },
  timeRecord: {
    match: [["externalAppName", "externalId"]],
  },
  svcDocumentTask: below("svcDocument", "svcDocument/{parent}/task", { required: ["name", "serviceType"] }),
  svcDocumentTaskWorkLog: belowTask("workLog", {
    required: ["worker", "time", "started"],
    readOnly: [...stamps, "factor", "agreement", "invoiceTime", "price", "erpAmount"],
  }),
  svcDocumentTaskMaterial: belowTask("material", {
    required: ["amount"],
  }),
  svcDocumentTaskPlanningTime: belowTask("planningTime", {
    required: ["estimate", "estimateType", "startDate"],
    createOnly: ["estimateType"],
    readOnly: [...stamps, "endDate"],
  }),
  svcDocumentTraveLog: below("svcDocument", "svcDocument/{parent}/travelLog", {
    required: ["worker", "distance", "time", "started"],
  }),
  svcDocumentMessage: below("svcDocument", "svcDocument/{parent}/message", {
    required: ["content"],
    refuses: ["edit", "delete"],
  }),
  svcDocumentConflict: below("svcDocument", "svcDocument/{parent}/conflict"),
  ticketMessage: below("ticket", "ticket/{parent}/message", { required: ["content"] }),
  ticketLink: below("ticket", "ticket/{parent}/link"),
  taskTemplate: below("svcDocumentTemplate", "svcDocumentTemplate/{parent}/taskTemplate"),
  agreementComponent: below("agreement", "agreement/{parent}/component"),
  agreementPeriod: below("agreement", "agreement/{parent}/period"),
  contignent: { otherPath: "contingent" },
  contignentItem: { parent: { field: "contingent", resource: "contignent" }, otherPath: "contingent/{parent}/item" },
  traveType: { otherPath: "travelType" },
  costEstimationTask: below("costEstimation", "costEstimation/{parent}/task"),
  costEstimationSubTask: below("costEstimationTask", "costEstimation/{costEstimation}/task/{parent}/subTask"),
};

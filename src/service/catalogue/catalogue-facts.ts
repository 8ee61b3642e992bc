import type { ResourceName } from "#model";

/**
 * What is known about a resource beyond its name. A tenant may differ in any of it, so every fact is verified before it
 * is relied on.
 */
export interface ResourceFacts {
  /** No user may delete a record. */
  readonly neverDeletes: boolean;
  /** Fields without which a create is refused. */
  readonly required: readonly string[];
  /** Fields that are accepted in a write and silently dropped. */
  readonly readOnly: readonly string[];
  /** Fields that no read ever shows. */
  readonly writeOnly: readonly string[];
  /** Fields that only a create may set; an edit drops them. */
  readonly createOnly: readonly string[];
  /** Fields that an edit drops and the action `move` changes. The first one names the owner, without which it does nothing. */
  readonly moves: readonly string[];
  /**
   * Fields that take whole records of other resources and show only their ids. Writing them a second time may create
   * those records again.
   */
  readonly embeds: readonly string[];
  /** Natural keys, the most reliable first. */
  readonly match: readonly (readonly string[])[];
  /** Array properties whose elements are shared with others and are changed one by one. */
  readonly arrays: readonly string[];
  /** Whether the list supports `changedSince`. */
  readonly changedSince: boolean;
  /** Whether records can be deactivated by `deactivated`; they keep their names then. */
  readonly deactivates: boolean;
  /** The parent, where the service nests this resource: the field that links to it. */
  readonly parent: { readonly field: string; readonly resource: ResourceName } | undefined;
  /**
   * The path in the vendor's schema, where it differs from the reference. {parent} and the names of further ancestors
   * are placeholders.
   */
  readonly otherPath: string | undefined;
}

type Known = Partial<ResourceFacts>;

const stamps = ["id", "link", "created", "modified"];
const words = (text: string) => text.split(" ");
const byName: Known = { required: ["name"], match: [["name"]] };

/** Children can be neither filtered nor read by change date on their own: they live below the record that `parent` names. */
const below = (resource: string, otherPath: string, more: Known = {}): Known => ({
  parent: { field: resource, resource },
  otherPath,
  ...more,
});

/** Records below a task link to it by `task`. */
const belowTask = (segment: string, more: Known): Known => ({
  parent: { field: "task", resource: "svcDocumentTask" },
  otherPath: `svcDocument/{svcDocument}/task/{parent}/${segment}`,
  ...more,
});

/** Known facts per resource; anything absent is unknown. Sources: the vendor's schema and live tenants. */
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
    moves: ["customer", "customerLocation"],
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
    moves: ["customer"],
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
      ...words("canceledDate drafted releasedDate invoiceNumber totalPrice webLink serverModified"),
    ],
    createOnly: ["erpReferenceNumber", "type"],
    embeds: ["tasks", "travelLogs"],
    match: [["ticket", "erpReferenceNumber"], ["customer", "erpReferenceNumber"], ["erpReferenceNumber"]],
    arrays: ["tags", "infoFiles"],
    changedSince: true,
  },
  invoice: { readOnly: [...stamps, "svcDocument", "agreementInvoice", "status"] },
  materialItem: {
    ...byName,
    match: [["number"], ["name"]],
    neverDeletes: true,
    changedSince: true,
    deactivates: true,
  },
  serviceType: {
    ...byName,
    match: [["number"], ["name"]],
    neverDeletes: true,
    deactivates: true,
  },
  tag: { required: ["name"], match: [["name"]], neverDeletes: true, deactivates: true },
  customField: { required: ["name", "parentType", "type"], neverDeletes: true },
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
  svcDocumentTask: below("svcDocument", "svcDocument/{parent}/task", {
    required: ["name", "serviceType"],
    embeds: ["workLogs", "planningTimes", "materials"],
  }),
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
    neverDeletes: true,
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

import { isJsonObject, type Json, type ResourceName } from "#model";
import { resourceFacts } from "./catalogue.ts";
import type { FieldKind } from "../contract.ts";
import { serviceIdOf, instantOf } from "../dialect/values.ts";

type Fields = Readonly<Partial<Record<FieldKind, string>>>;

const FIELD_KINDS: readonly FieldKind[] = ["text", "number", "boolean", "date", "id", "ids", "object"];

const message: Fields = {
  text: "content subject sender senderType",
  boolean: "internal hidden",
  date: "receivedDate",
  id: "user contact",
  ids: "attachments",
};

const prices = "price internalPrice revisedPrice contingentPrice invoicePrice invoicePriceWithAgreement";

/** Fields by the kind of value they take. Sources: the vendor's schema (release 2025.3.0) and live tenants. */
const known: Readonly<Record<ResourceName, Fields>> = {
  customer: {
    text: "name customerId shortName wildcardAddress info warning",
    boolean: "inhouse syncToApp",
    id: "customerStatus companyData defaultCustomerLocation",
  },
  customerContact: {
    text: "name email gender labeling mobile telephone telefax info firstName lastName website",
    boolean: "temporary sendEmail sendEmailIfSelected sendFax sendFaxIfSelected syncToApp",
    id: "customer customerLocation",
  },
  customerLocation: {
    text: "name street zipcode city",
    boolean: "temporary syncToApp",
    id: "customer",
  },
  ticket: {
    text: "ticketNumber description internalDescription referenceNumber erpReferenceNumber externalReferenceNumber lockReason webLink",
    number: "externalSla sla",
    boolean: "billable isLocked lockVisibleForCustomer slaRunning hasSvcDocuments hasProtocols hasTicketLinks",
    date: "dueDate lowestDueDate deadline startDate externalSlaDueDate slaDueDate",
    id: "priority ticketStatus ticketCategory department confidentialTag project owner customer customerLocation customerContact mergedToTicket",
    ids: "customerObjects tags svcDocuments protocols mergedTickets inwardLinks outwardLinks",
    object: "additionalData",
  },
  svcDocument: {
    text: "documentNumber referenceNumber externalReferenceNumber erpReferenceNumber approvedComment invoiceNumber finishPin webLink",
    number: "totalPrice totalInternalPrice totalInvoicePrice",
    boolean:
      "needSignature needFinishPin billable sendMessage completedSuccessfully recordTravelTimeAfterPreFinished type finished preFinished approved canceled drafted canChangeDocument",
    date: "postedDate finishedDate approvedDate canceledDate releasedDate serverModified",
    id: "personInCharge customer customerLocation customerContact priority ticket project confidentialTag",
    ids: "infoFiles tags protocols",
    // May be embedded in a write as whole records.
    object: "tasks travelLogs",
  },
  svcDocumentTask: {
    text: "name description internalDescription reviseType reviseMsg obligingnessMsg alternativeLocationAddress",
    number:
      "estimate arrivalEstimate returnEstimate remainingEstimate planningEstimate reviseValue alternativeLocationLatitude alternativeLocationLongitude",
    boolean: "finished isObligingness",
    date: "dueDate",
    id: "svcDocument serviceType contingent",
    ids: "workers customerObjects files",
    object: "workLogs planningTimes materials",
  },
  svcDocumentTaskWorkLog: {
    text: "comment",
    number: `time remainingEstimate factor invoiceTime revisedTime contingentTime erpAmount ${prices}`,
    date: "started",
    id: "task worker agreement",
  },
  svcDocumentTraveLog: {
    text: "comment",
    number: "time distance factor invoiceTime revisedTime price internalPrice revisedPrice invoicePrice erpAmount",
    date: "started",
    id: "svcDocument travelType worker",
  },
  svcDocumentTaskMaterial: {
    text: "name serial storageLocation",
    number: "amount",
    id: "task materialItem",
    object: "additionalData",
  },
  svcDocumentTaskPlanningTime: {
    text: "estimateType",
    number: "estimate",
    date: "startDate endDate",
    id: "task",
  },
  svcDocumentMessage: { ...message, id: "user contact svcDocument" },
  ticketMessage: { ...message, id: "user contact ticket" },
  invoice: { text: "invoiceNumber status", boolean: "billable", id: "svcDocument agreementInvoice" },
  materialItem: { text: "name number", boolean: "hasSerialNumber deactivated" },
  serviceType: { text: "name number", boolean: "deactivated" },
  tag: { text: "name color", boolean: "deactivated" },
  priority: { text: "name color", number: "priority sla", boolean: "customerSelectable isDefault" },
  ticketStatus: {
    text: "name behaviour color",
    boolean: "escalate sendCustomerMail sendOwnerMail syncToApp",
  },
  customerStatus: { text: "name", boolean: "selectable" },
  user: {
    text: "name email username password shorthandName mobile telephone externalErpNumber",
    boolean: "enabled use2FA systemUser withTimeRecord calendarEnabled",
    id: "permissionGroup department",
    ids: "userProfiles skills serviceTypeProfiles confidentialTags",
  },
};

/** Every known field of a resource, with the kind of value it takes where that is known. */
export function catalogueFields(resource: ResourceName): ReadonlyMap<string, FieldKind | undefined> {
  const { required, readOnly, writeOnly, createOnly, match, arrays } = resourceFacts(resource);
  const named = [required, readOnly, writeOnly, createOnly, ...match, arrays].flat();
  const fields = new Map<string, FieldKind | undefined>(named.map((name) => [name, undefined]));
  for (const kind of FIELD_KINDS) for (const name of known[resource]?.[kind]?.split(" ") ?? []) fields.set(name, kind);
  return fields;
}

const customKinds = new Map<Json | undefined, FieldKind>([
  ["BOOLEAN", "boolean"],
  ["DATE", "date"],
  ["NUMBER_LONG", "number"],
  ["NUMBER_DOUBLE", "number"],
  ["SELECTION_CATEGORY", "id"],
  ["OBSERVER_CATEGORY", "id"],
  ["SELECTION_CATEGORY_MULTI", "ids"],
  ["OBSERVER_CATEGORY_MULTI", "ids"],
  ...["TEXT", "MULTILINE_TEXT", "EMAIL", "EMAIL_DOMAIN", "PHONE_NUMBER"].map((type) => [type, "text"] as const),
]);

/**
 * The kind of value that a custom field of this type takes, by the vendor's name of the type; undefined for an unknown
 * type.
 */
export function customFieldKind(type: Json | undefined): FieldKind | undefined {
  return customKinds.get(type);
}

/** The kind of value a field takes, judged by the values it shows; undefined where they disagree. */
export function kindShown(values: readonly Json[]): FieldKind | undefined {
  const kinds = new Set(values.map(kindOf));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

function kindOf(value: Json): FieldKind | undefined {
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  return isJsonObject(value) && serviceIdOf(value) !== undefined ? "id" : undefined;
}

/** Whether a field of this kind takes the value. Null clears a field, whatever it holds. */
export function takes(kind: FieldKind, value: Json): boolean {
  if (value === null) return true;
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "date":
      return value === "" || instantOf(value) !== undefined;
    case "id":
      return Number.isSafeInteger(value);
    case "ids":
      return Array.isArray(value) && value.every((id) => Number.isSafeInteger(id));
    case "object":
      return typeof value === "object";
  }
}

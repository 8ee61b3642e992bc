import type { ResourceName } from "#model";
import { known, type ResourceFacts } from "./catalogue-facts.ts";

/** Every endpoint of section 4.5 of the reference, in its order and with its exact spelling, irregular or not. */
export const resourceNames: readonly ResourceName[] = `
  agreement agreementCategory agreementComponent agreementPeriod away awayReason companyData confidentialTag
  contignent contignentItem costEstimation costEstimationTask costEstimationSubTask customer customerContact
  customerLocation customerObject customerProfile customerStatus customerUser customField department
  departmentProfile svcDocument svcDocumentConflict svcDocumentMessage svcDocumentTask svcDocumentTaskMaterial
  svcDocumentTaskPlanningTime svcDocumentTaskWorkLog svcDocumentTraveLog svcDocumentTemplate svcScript
  emailAddress exportProfile file invoice materialItem message mobileNumber mis notification object objectCategory
  observer observerCategory observerType paymentProfile paymentProfilePrice permissionGroup priority protocol
  protocolEntry protocolGroup protocolGroupData protocolGroupEntries protocolTemplate protocolTemplateElement
  protocolTemplateEntry protocolTemplateGroupContainer protocolTemplateGroup protocolTemplateGroupEntryMapping
  protocolTemplateComponent protocolTemplateAction protocolTemplateReaction protocolTemplateType queue
  selectionCategory selectionValue serviceProvider serviceProviderUser serviceType serviceTypeProfile tag
  tableConfigStorage taskTemplate ticket ticketBoard ticketBoardProfile ticketCategory ticketLinkType
  ticketMessage ticketLink ticketStatus ticketTemplate timer timeRecord traveType user userAndQueue userProfile
  userActivity workPipe
`
  .trim()
  .split(/\s+/);

/** Resources that every tenant has. */
export const commonResources: readonly ResourceName[] = ["customer", "user", "priority", "ticketStatus"];

const nothingKnown: ResourceFacts = {
  neverDeletes: false,
  required: [],
  readOnly: ["id", "link", "created", "modified"],
  writeOnly: [],
  createOnly: [],
  moves: [],
  embeds: [],
  match: [],
  arrays: [],
  changedSince: false,
  deactivates: false,
  parent: undefined,
  otherPath: undefined,
};

const catalogue = new Map(resourceNames.map((name) => [name, { ...nothingKnown, ...known[name] }]));

/** The facts of a resource. A resource that the reference does not list can be used too; nothing is known about it. */
export function resourceFacts(name: ResourceName): ResourceFacts {
  return catalogue.get(name) ?? nothingKnown;
}

import type { ResourceSpec } from "./resource.ts";

/** Endpoints of the reference whose fields no document names: they keep whatever JSON object they are given. */
const NAMES = [
  "agreementCategory away awayReason companyData confidentialTag costEstimation customerProfile customerUser department",
  "departmentProfile svcDocumentTemplate svcScript emailAddress exportProfile file message mobileNumber mis notification",
  "objectCategory observer observerCategory observerType paymentProfile paymentProfilePrice permissionGroup protocol",
  "protocolEntry protocolGroup protocolGroupData protocolGroupEntries protocolTemplate protocolTemplateElement",
  "protocolTemplateEntry protocolTemplateGroupContainer protocolTemplateGroup protocolTemplateGroupEntryMapping",
  "protocolTemplateComponent protocolTemplateAction protocolTemplateReaction protocolTemplateType queue",
  "serviceProviderUser serviceTypeProfile tableConfigStorage ticketBoard",
  "ticketBoardProfile ticketLinkType ticketTemplate timer userProfile userActivity workPipe webhook",
]
  .join(" ")
  .split(" ");

const open = (name: string, more: Partial<ResourceSpec> = {}): ResourceSpec => ({
  name,
  stamps: "both",
  list: ["id", "name"],
  ...more,
});

const nested = (name: string, parent: string, segment: string, aliases: string[] = []): ResourceSpec =>
  open(name, { aliases, nested: { parent, field: parent, segment } });

export const openResources: readonly ResourceSpec[] = [
  ...NAMES.map((name) => open(name)),
  open("agreement"),
  nested("agreementComponent", "agreement", "component"),
  nested("agreementPeriod", "agreement", "period"),
  open("contignent", { aliases: ["contingent"] }),
  nested("contignentItem", "contignent", "item", ["contingentItem"]),
  nested("costEstimationTask", "costEstimation", "task"),
  nested("costEstimationSubTask", "costEstimationTask", "subTask"),
  nested("taskTemplate", "svcDocumentTemplate", "taskTemplate"),
  open("object"),
  open("ticketCategory"),
  open("traveType", { aliases: ["travelType"] }),
  open("selectionCategory"),
  open("selectionValue"),
  open("userAndQueue"),
  open("skill"),
  open("serviceProvider"),
];

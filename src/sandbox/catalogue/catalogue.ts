import type { ResourceName } from "#model";
import { customerResources } from "./customers.ts";
import { documentResources, taskResources } from "./documents.ts";
import { referenceResources } from "./reference-resources.ts";
import { brandOf, compileResource, type BrandNames, type Resource, type ResourceSpec } from "./resource.ts";
import { ticketResources } from "./tickets.ts";

/** Endpoints of the reference whose fields no document names: they store any JSON object. */
const NAMES = [
  "agreementCategory away awayReason companyData confidentialTag costEstimation customerProfile customerUser department",
  "departmentProfile svcDocumentTemplate svcScript emailAddress exportProfile file message mobileNumber mis notification",
  "objectCategory observer observerCategory observerType paymentProfile paymentProfilePrice permissionGroup protocol",
  "protocolEntry protocolGroup protocolGroupData protocolGroupEntries protocolTemplate protocolTemplateElement",
  "protocolTemplateEntry protocolTemplateGroupContainer protocolTemplateGroup protocolTemplateGroupEntryMapping",
  "protocolTemplateComponent protocolTemplateAction protocolTemplateReaction protocolTemplateType queue",
  "serviceProviderUser serviceTypeProfile tableConfigStorage ticketBoard",
  "ticketBoardProfile ticketLinkType ticketTemplate timer userProfile userActivity workPipe webhook agreement object",
  "ticketCategory selectionCategory selectionValue userAndQueue skill serviceProvider",
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

const openResources: readonly ResourceSpec[] = [
  ...NAMES.map((name) => open(name)),
  nested("agreementComponent", "agreement", "component"),
  nested("agreementPeriod", "agreement", "period"),
  open("contignent", { aliases: ["contingent"] }),
  nested("contignentItem", "contignent", "item", ["contingentItem"]),
  nested("costEstimationTask", "costEstimation", "task"),
  nested("costEstimationSubTask", "costEstimationTask", "subTask"),
  nested("taskTemplate", "svcDocumentTemplate", "taskTemplate"),
  open("traveType", { aliases: ["travelType"] }),
];

/** All resources of one tenant, by neutral name and by every spelling that a path may have. */
export interface Catalogue {
  readonly brand: BrandNames;
  readonly resources: ReadonlyMap<ResourceName, Resource>;
  readonly byPath: ReadonlyMap<string, Resource>;
  /** `parent/segment` of nested spellings, with the parent's neutral name. */
  readonly byNesting: ReadonlyMap<string, Resource>;
}

const SPECS = [
  ...customerResources,
  ...ticketResources,
  ...documentResources,
  ...taskResources,
  ...referenceResources,
  ...openResources,
];

/** `spellings` adds paths that differ from the resource's name. */
export function openCatalogue(brandName: string, spellings: Readonly<Record<ResourceName, string>>): Catalogue {
  const brand = brandOf(brandName);
  const resources = new Map<string, Resource>();
  const byPath = new Map<string, Resource>();
  const byNesting = new Map<string, Resource>();
  for (const spec of SPECS) {
    const resource = compileResource(spec, brand);
    resources.set(spec.name, resource);
    for (const spelling of [spec.name, ...(spec.aliases ?? [])]) byPath.set(brand.wire(spelling), resource);
    const extra = spellings[spec.name];
    if (extra !== undefined) byPath.set(extra, resource);
    if (spec.nested) byNesting.set(`${spec.nested.parent}/${spec.nested.segment}`, resource);
  }
  return { brand, resources, byPath, byNesting };
}

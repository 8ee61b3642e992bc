import type { ResourceName } from "#model";
import { customerResources } from "./customers.ts";
import { documentResources, taskResources } from "./documents.ts";
import { openResources } from "./open-resources.ts";
import { referenceResources } from "./reference-resources.ts";
import { brandOf, compileResource, type Brand, type Resource } from "./resource.ts";
import { ticketResources } from "./tickets.ts";

/** All resources of one tenant, by their neutral name and by every spelling that a path may have. */
export interface Catalogue {
  readonly brand: Brand;
  readonly resources: ReadonlyMap<ResourceName, Resource>;
  readonly byPath: ReadonlyMap<string, Resource>;
  /** `parent/segment` of nested spellings, parent by its neutral name. */
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

import type { ResourceName } from "#model";
import { known } from "./catalogue-facts.ts";
import { endpoints } from "./catalogue-endpoints.ts";
import type { ResourceFacts } from "./resource-facts.ts";

const nothingKnown: Omit<ResourceFacts, "name" | "object"> = {
  refuses: [],
  required: [],
  readOnly: ["id", "link", "created", "modified"],
  writeOnly: [],
  createOnly: [],
  match: [],
  arrays: [],
  changedSince: false,
  deactivates: false,
  parent: undefined,
  otherPath: undefined,
};

const catalogue: ReadonlyMap<ResourceName, ResourceFacts> = new Map(
  Object.entries(endpoints).map(([name, object]) => [name, { name, object, ...nothingKnown, ...known[name] }]),
);

/** Every endpoint of the reference, in its order. */
export const resourceNames: readonly ResourceName[] = [...catalogue.keys()];

/** The facts of a resource. One that the reference does not list is usable too; nothing is known about it. */
export function resourceFacts(name: ResourceName): ResourceFacts {
  return catalogue.get(name) ?? { name, object: name, ...nothingKnown };
}

export * from "./contract.ts";
export { openService, type ServiceContext } from "./open.ts";
export { isRefusal } from "./failures.ts";
export type { ReferenceCache } from "./reference.ts";
export { resourceFacts, resourceNames, type Operation, type ResourceFacts } from "./catalogue.ts";
export { takes } from "./catalogue-fields.ts";
export { idOf, sameValue } from "./values.ts";

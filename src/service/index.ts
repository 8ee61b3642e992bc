export * from "./contract.ts";
export { openService, type ServiceContext } from "./open.ts";
export { isRefusal } from "./transport/failures.ts";
export { KnownNames, type ReferenceCache } from "./reads/reference.ts";
export { resourceFacts, resourceNames } from "./catalogue/catalogue.ts";
export { takes } from "./catalogue/catalogue-fields.ts";
export { idOf, sameValue } from "./dialect/values.ts";
export { catalogueFacts } from "./reads/field-facts.ts";

export * from "./contract.ts";
export { openStore } from "./sqlite/index.ts";

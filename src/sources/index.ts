export { adapters } from "./register.ts";
export type { Capabilities, Source, SourceStream } from "./source.ts";
export { defineAdapter, type Adapter, type OpenContext, type OpenedSource } from "./adapter.ts";

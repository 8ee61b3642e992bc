export { adapters } from "./register.ts";
export type { Capabilities, KeylessRows, Source, SourceStream } from "./source.ts";
export type { Adapter, OpenContext, OpenedSource } from "./adapter.ts";

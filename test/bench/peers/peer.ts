import type { RunningLoad } from "./running-load.ts";

/** A system that brings the customers of one SQLite file into the service. */
export interface Peer {
  /** With its version. */
  readonly name: string;
  /** Begins one run over all customers. */
  load(serviceUrl: string): Promise<RunningLoad>;
  /** Drops what earlier runs left behind, so that the next one is a first one. */
  forget(): Promise<void>;
}

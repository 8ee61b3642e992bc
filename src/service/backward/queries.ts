import type { ResourceName, ServiceId } from "#model";

/** A filter of a list that documents name, and that no tenant was seen to obey. */
export interface ListFilter {
  readonly name: "approvedSince" | "finishedSince";
  /** Epoch milliseconds. */
  readonly since: number;
}

/** A record by the field of another resource that links to it. */
export interface LinkTo {
  /** The field, which has the name of the resource that it links to. */
  readonly of: ResourceName;
  readonly id: ServiceId;
}

/** The fields of a record to read, and its lists by the field that holds them. */
export interface WholeQuery {
  readonly fields: readonly string[];
  readonly lists: Readonly<Record<string, WholeQuery>>;
}

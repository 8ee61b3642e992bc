import type { ResourceName } from "#model";

/**
 * Everything the documents leave open, or say in two ways. The defaults are what is known about the live service; where
 * nothing is known, the value that a sloppy client stumbles over. README.md names the source of each.
 */
export interface Switches {
  /** The word on the wire where the documents write `svc`. */
  readonly brand: string;
  /** Where a list's rows are: under the resource's name, under one fixed key, or the answer itself. */
  readonly listWrapper: "resource" | "array" | { readonly key: string };
  /** Wrapper keys that differ from the resource's name. */
  readonly listKeys: Readonly<Record<ResourceName, string>>;
  /** `ignored`: the parameter has no effect and every page is the first one. */
  readonly paging:
    | { readonly kind: "offset"; readonly parameter: string }
    | { readonly kind: "page"; readonly parameter: string; readonly first: 0 | 1 }
    | { readonly kind: "none" }
    | { readonly kind: "ignored" };
  /** Do lists carry `totalCount`? `stale`: a whole list is told as long as it was when it was first read. */
  readonly totalCount: "yes" | "no" | "stale";
  /** Is `sortings` obeyed? */
  readonly sorting: boolean;
  /** The order of lists without `sortings`. */
  readonly order: "newestFirst" | "oldestFirst" | "changedFirst";
  /** Does `changedSince` have an effect? */
  readonly changedSince: boolean;
  readonly createAnswer: "record" | "id" | "location" | "none";
  readonly createStatus: 200 | 201;
  /** Path of one record below `restApi/v1/`, with {resource} and {id}; may hold a query. */
  readonly recordPath: string;
  /** How a missing record is spelled: a status, or 200 with nothing or with `null`. */
  readonly notFound: "404" | "400" | "empty" | "null";
  /** What `{ action, ids }` in an edit does. */
  readonly arrayUpdate: "supported" | "refused" | "ignored";
  /** A linked object without dotted names: its id, or an object with `id` and `name`. */
  readonly links: "id" | "object";
  /** The member that says when a token expires. */
  readonly expiry: "expire_date" | "expires_date" | "both" | "none";
  /** Paths served beside the resource's own name. */
  readonly paths: Readonly<Record<ResourceName, string>>;
}

const DEFAULT_SWITCHES: Switches = {
  brand: "svc",
  listWrapper: "resource",
  listKeys: {},
  paging: { kind: "offset", parameter: "offset" },
  totalCount: "yes",
  sorting: true,
  order: "newestFirst",
  changedSince: true,
  createAnswer: "record",
  createStatus: 200,
  recordPath: "{resource}/{id}",
  notFound: "404",
  arrayUpdate: "supported",
  links: "id",
  expiry: "expire_date",
  paths: {},
};

/** The defaults with what is given laid over them; members that are undefined, or no switches, do not count. */
export function switchesOf(given: Partial<Switches>): Switches {
  const switches = { ...DEFAULT_SWITCHES };
  let name: keyof Switches;
  for (name in DEFAULT_SWITCHES) if (given[name] !== undefined) Object.assign(switches, { [name]: given[name] });
  return switches;
}

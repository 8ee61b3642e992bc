import type { ResourceName } from "#model";

/**
 * Everything the API reference does not show, as values; the known facts are the defaults. `svcsync check --service` says
 * which hold on a tenant.
 */
export interface Dialect {
  /** The word that the wire has where the reference writes `svc`: in paths, wrapper keys, `fields` and link names. */
  readonly brand: string;
  /** Where a list's rows are: under the resource's name (or `listKeys`), under one fixed key, or the answer itself. */
  readonly listWrapper: "resource" | "array" | { readonly key: string };
  /** Wrapper keys that differ from the resource's name. */
  readonly listKeys: Readonly<Record<ResourceName, string>>;
  /** Paging by record offset, by page number (from 0 or 1), or none at all. */
  readonly paging:
    | { readonly kind: "offset"; readonly parameter: string }
    | { readonly kind: "page"; readonly parameter: string; readonly first: 0 | 1 }
    | { readonly kind: "none" };
  /** Records per page, 2 to 50. */
  readonly pageSize: number;
  /** The sort parameter that makes pages stable (`sortings=id asc`), or undefined where there is none. */
  readonly sort: { readonly parameter: string; readonly value: string } | undefined;
  /** The member that counts all records of a list, or undefined where lists do not count. */
  readonly totalKey: string | undefined;
  /** Path of one record below `restApi/v1/`, with {resource} and {id}. */
  readonly recordPath: string;
  /** What a create answers: the record, only an id, only a Location header, or nothing usable. */
  readonly createAnswer: "record" | "id" | "location" | "none";
  /** May array properties be updated with `{ action, ids }`? Else: read, merge, write the whole array. */
  readonly arrayUpdate: "object" | "merge";
  /** Paths that differ from the resource's name, e.g. contignent -> contingent; may hold {parent} for nested ones. */
  readonly paths: Readonly<Record<ResourceName, string>>;
}

import type { Resource } from "../catalogue/resource.ts";
import type { Row } from "../records/table.ts";
import { versionAsOf, type Version } from "../records/version.ts";
import type { Caller, Tenant } from "./tenant.ts";

/**
 * Broad full text: every word of the term occurs somewhere in the covered fields, in upper or lower case.
 * The index may be behind: it then shows records as they were, and not those that are newer.
 */
export class FullText {
  readonly #tenant: Tenant;

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  matcher(resource: Resource, term: string, caller: Caller): (row: Row) => boolean {
    const words = term.toLowerCase().split(/\s+/).filter(Boolean);
    const lagMs = caller.searchLagMs;
    const asOf = this.#tenant.clock.now() - lagMs;
    return (row) => {
      const version = lagMs === 0 ? row.version : versionAsOf(row.version, asOf);
      if (version?.record === undefined) return false;
      const text = this.#text(resource, version);
      return words.every((word) => text.includes(word));
    };
  }

  /** Kept with the version, which never changes otherwise. */
  #text(resource: Resource, version: Version): string {
    if (version.searchText !== undefined) return version.searchText;
    const values = (resource.searched ?? []).map((name) => version.record?.[name]);
    const text = values
      .filter((value) => typeof value === "string")
      .join("\n")
      .toLowerCase();
    version.searchText = text;
    return text;
  }
}

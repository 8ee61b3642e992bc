import type { Catalogue } from "../catalogue/catalogue.ts";
import type { RecordAction, Resource } from "../catalogue/resource.ts";

/** A parent in a path: its record, and the field of the child that links to it. */
export interface ParentStep {
  readonly resource: Resource;
  readonly id: number;
  readonly field: string;
}

/** What a path addresses. */
export type Route =
  | { readonly kind: "login" }
  | { readonly kind: "logout" }
  | {
      readonly kind: "collection";
      readonly resource: Resource;
      readonly parents: readonly ParentStep[];
      /** The spelling of the path, and the wrapper key of the list. */
      readonly key: string;
    }
  | {
      readonly kind: "record";
      readonly resource: Resource;
      readonly id: number;
      readonly parents: readonly ParentStep[];
    }
  /** An action of one record, with the id that its path may end with: `move`, `merge/{id}`. */
  | {
      readonly kind: "action";
      readonly resource: Resource;
      readonly id: number;
      readonly action: RecordAction;
      readonly other: number | undefined;
    }
  | { readonly kind: "customFields"; readonly resource: Resource };

const ROOT = "/restApi/";
const VERSION = "/restApi/v1/";
const DEFAULT_RECORD_PATH = "{resource}/{id}";
const NO_PARENTS: readonly ParentStep[] = [];

/** Parses paths. They are case-sensitive; one trailing slash is allowed. */
export class Router {
  readonly #catalogue: Catalogue;
  readonly #recordPath: RegExp | undefined;

  constructor(catalogue: Catalogue, recordPath: string) {
    this.#catalogue = catalogue;
    this.#recordPath = recordPath === DEFAULT_RECORD_PATH ? undefined : recordPattern(recordPath);
  }

  /** Undefined for an unknown path: 404. */
  find(pathname: string, search: string): Route | undefined {
    const path = pathname.endsWith("/") ? pathname.slice(0, -1) : pathname;
    if (path === `${ROOT}login`) return { kind: "login" };
    if (path === `${ROOT}logout`) return { kind: "logout" };
    if (!path.startsWith(VERSION)) return undefined;
    const rest = path.slice(VERSION.length);
    const special = this.#recordPath?.exec(rest + search)?.groups;
    if (special?.["resource"] !== undefined) {
      const resource = this.#catalogue.byPath.get(special["resource"]);
      const id = readId(special["id"]);
      return resource && id ? { kind: "record", resource, id, parents: NO_PARENTS } : undefined;
    }
    const segments = decode(rest);
    return segments === undefined ? undefined : this.#resolve(segments);
  }

  #resolve([first = "", second, third, ...rest]: readonly string[]): Route | undefined {
    const resource = this.#catalogue.byPath.get(first);
    if (resource === undefined) return undefined;
    if (second === undefined) return { kind: "collection", resource, parents: NO_PARENTS, key: first };
    const id = readId(second);
    if (id !== undefined) {
      const action = third === undefined ? undefined : actionOf(resource, third);
      if (action !== undefined) {
        const other = readId(rest[0]);
        const isWhole = action === "merge" ? other !== undefined && rest.length === 1 : rest.length === 0;
        return isWhole ? { kind: "action", resource, id, action, other } : undefined;
      }
      if (third !== undefined) return this.#below(resource, id, [third, ...rest], NO_PARENTS);
      return this.#recordPath ? undefined : { kind: "record", resource, id, parents: NO_PARENTS };
    }
    return second === "customFields" && third === undefined ? { kind: second, resource } : undefined;
  }

  #below(
    parent: Resource,
    parentId: number,
    [segment = "", second, ...rest]: readonly string[],
    above: readonly ParentStep[],
  ): Route | undefined {
    const resource = this.#catalogue.byNesting.get(`${parent.name}/${this.#catalogue.brand.neutral(segment)}`);
    if (resource?.nested === undefined) return undefined;
    const parents = [...above, { resource: parent, id: parentId, field: resource.nested.field }];
    if (second === undefined) return { kind: "collection", resource, parents, key: segment };
    const id = readId(second);
    if (id === undefined) return undefined;
    return rest.length === 0 ? { kind: "record", resource, id, parents } : this.#below(resource, id, rest, parents);
  }
}

function actionOf({ actions = [] }: Resource, segment: string): RecordAction | undefined {
  return actions.find((action) => action === segment);
}

function readId(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function decode(path: string): string[] | undefined {
  const segments = path.split("/");
  if (!path.includes("%")) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function recordPattern(template: string): RegExp {
  const literal = template.replace(/[\\^$.|?+()[\]]/g, "\\$&");
  const query = template.includes("?") ? "(?:&.*)?" : "(?:\\?.*)?";
  const pattern = literal.replace("{resource}", "(?<resource>\\w+)").replace("{id}", "(?<id>\\d+)");
  return new RegExp(`^${pattern}${query}$`);
}

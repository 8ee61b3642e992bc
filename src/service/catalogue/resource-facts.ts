import type { ResourceName } from "#model";

export type Operation = "create" | "read" | "list" | "edit" | "delete";

/** What is known about one resource beyond its name. Everything may be wrong on a tenant: nothing here is trusted unseen. */
export interface ResourceFacts {
  readonly name: ResourceName;
  /** What the reference calls the object behind the endpoint. */
  readonly object: string;
  /** Operations that the service never allows, for any user. */
  readonly refuses: readonly Operation[];
  /** Fields without which a create is refused. */
  readonly required: readonly string[];
  /** Fields that are accepted in a write and silently dropped. */
  readonly readOnly: readonly string[];
  /** Fields that no read ever shows. */
  readonly writeOnly: readonly string[];
  /** Fields that only a create may set; an edit drops them. */
  readonly createOnly: readonly string[];
  /** Natural keys, the surest first. */
  readonly match: readonly (readonly string[])[];
  /** Array properties whose elements are shared with others and are changed one by one. */
  readonly arrays: readonly string[];
  /** Does the list know `changedSince`? */
  readonly changedSince: boolean;
  /** Records can be switched off by `deactivated` and then keep their names. */
  readonly deactivates: boolean;
  /** The record above, where the service nests this one: the field that links to it. */
  readonly parent: { readonly field: string; readonly resource: ResourceName } | undefined;
  /** The path that the vendor's schema has where it differs from the reference; {parent} and further up by name. */
  readonly otherPath: string | undefined;
}

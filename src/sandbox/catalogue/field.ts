/** The kind of values that a field holds; `reverse`, `computed` and `restLink` are computed when read. */
export type FieldSpecKind =
  | "text"
  | "integer"
  | "number"
  | "boolean"
  | "instant"
  | "object"
  | "integers"
  | "link"
  | "links"
  | "customFields"
  | "reverse"
  | "children"
  | "exists"
  | "computed"
  | "restLink";

/** A number of a record, and the sums of a field of the records that link to it. */
export interface Figures {
  readonly own: (field: string) => number;
  readonly sum: (target: string, through: string, field: string) => number;
}

/** A field of a resource: its kind, when it may be written, and what it links to. */
export interface FieldSpec {
  readonly kind: FieldSpecKind;
  /** A field that may not be written now is dropped, and the answer is still 200. */
  readonly written: "always" | "create" | "never";
  /** Resources whose ids a link may hold; for `reverse`, `children` and `exists`, the resource that links here. */
  readonly targets: readonly string[];
  /** For `reverse`, `children` and `exists`: the field of the target that holds this record's id. */
  readonly through?: string;
  readonly choices?: readonly string[];
  /** For `computed`: the value where the record holds none. */
  readonly compute?: (figures: Figures) => number;
  /** Never shown in an answer. */
  readonly secret?: boolean;
}

const plain = (kind: FieldSpecKind): FieldSpec => ({ kind, written: "always", targets: [] });

export const text = plain("text");
export const integer = plain("integer");
export const number = plain("number");
export const boolean = plain("boolean");
export const timestamp = plain("instant");
export const object = plain("object");
export const integers = plain("integers");
export const customFields = plain("customFields");
export const restLink: FieldSpec = { ...plain("restLink"), written: "never" };

export const choiceOf = (...choices: string[]): FieldSpec => ({ ...text, choices });
export const link = (...targets: string[]): FieldSpec => ({ ...plain("link"), targets });
export const links = (...targets: string[]): FieldSpec => ({ ...plain("links"), targets });

/** The ids of the `target` records whose field `through` links to this record. */
export const reverse = (target: string, through: string): FieldSpec => ({
  ...plain("reverse"),
  written: "never",
  targets: [target],
  through,
});

/** Like {@link reverse}, but a write may embed whole records, which are then created or edited with their parent. */
export const children = (target: string, through: string): FieldSpec => ({
  ...plain("children"),
  targets: [target],
  through,
});

/** Whether any record of `target` links to this record by its field `through`. */
export const exists = (target: string, through: string): FieldSpec => ({
  ...reverse(target, through),
  kind: "exists",
});

/** A number that the service calculates. A value that the record holds takes precedence. */
export const computed = (compute: (figures: Figures) => number): FieldSpec => ({
  ...plain("computed"),
  written: "never",
  compute,
});

export const readOnly = (field: FieldSpec): FieldSpec => ({ ...field, written: "never" });
export const atCreate = (field: FieldSpec): FieldSpec => ({ ...field, written: "create" });
export const hidden = (field: FieldSpec): FieldSpec => ({ ...field, secret: true });

/** Several fields of one kind. */
export function several(names: string, field: FieldSpec): Record<string, FieldSpec> {
  return Object.fromEntries(names.split(" ").map((name) => [name, field]));
}

const SHAPE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** `YYYY-MM-DDTHH:mm:ss.SSSZ` only: UTC, exactly milliseconds, and an existing moment. */
export function isInstant(value: unknown): value is string {
  if (typeof value !== "string" || !SHAPE.test(value)) return false;
  const at = Date.parse(value);
  return !Number.isNaN(at) && new Date(at).toISOString() === value;
}

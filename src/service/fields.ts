/**
 * What a read asks for, in the grammar of the `fields` parameter:
 * `select("id", "name").link("customer", "id", "name").names`, `select().all().without("svcDocuments").names`.
 * Immutable: each step is a new selection.
 */
export class FieldSelection {
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    this.names = names;
  }

  /** Properties of a linked record, which then comes as an object instead of its id. */
  link(link: string, ...properties: string[]): FieldSelection {
    return new FieldSelection([...this.names, ...properties.map((property) => `${link}.${property}`)]);
  }

  /** All properties of the record; what follows by `without` is left out of them. */
  all(): FieldSelection {
    return new FieldSelection(["*", ...this.names.filter((name) => name !== "*")]);
  }

  without(...names: string[]): FieldSelection {
    return new FieldSelection([...this.names, ...names.map((name) => `-${name}`)]);
  }
}

export function select(...names: string[]): FieldSelection {
  return new FieldSelection(names);
}

const CUSTOM = "customFields.";

/**
 * The `fields` parameter for these names, `id` always among them. Values of custom fields have one spelling only,
 * `customFields.id,customFields.value`, whichever of them is meant.
 */
export function fieldsParameter(names: readonly string[]): string {
  const asked = new Set(names.includes("*") ? [] : ["id"]);
  for (const name of names) {
    if (name === "customFields" || name.startsWith(CUSTOM)) asked.add("customFields.id").add("customFields.value");
    else asked.add(name);
  }
  return [...asked].join(",");
}

/** The custom field that a name means (`customFields.12`, `customFields.Cost centre`), or undefined for a plain field. */
export function customFieldOf(name: string): string | undefined {
  return name.startsWith(CUSTOM) ? name.slice(CUSTOM.length) : undefined;
}

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

import { isJsonObject, type Json } from "#model";

/** Replaces names in braces by their values. Unknown names stay, because the braces may belong to the API. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{([\w.]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : whole,
  );
}

/** Fills every text inside a JSON value. */
export function fillJson(template: Json, values: Readonly<Record<string, string>>): Json {
  if (typeof template === "string") return fillTemplate(template, values);
  if (Array.isArray(template)) return template.map((item) => fillJson(item, values));
  if (!isJsonObject(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fillJson(value, values)]));
}

/** Returns the template values of a key's parts: `{key}`, and `{key.0}`, `{key.1}` … */
export function keyValues(parts: readonly string[]): Record<string, string> {
  const values: Record<string, string> = { key: parts.join("|") };
  if (parts.length === 1) values["key"] = parts[0]!;
  for (const [index, part] of parts.entries()) values[`key.${index}`] = part;
  return values;
}

/** Returns a path and its parameters as one address, encoded. */
export function requestAddress(path: string, parameters: Readonly<Record<string, string | number | boolean>>): string {
  const query = Object.entries(parameters)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  return query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;
}
